export interface FetchTerms {
  readonly timeoutMs: number;
  /** Undefined without a mirror. */
  readonly mirrorOf: ((url: string) => string) | undefined;
}

export interface FetchReport {
  readonly result: 'updated' | 'unchanged' | 'failed' | 'refused';
  /** Number of published entries that are not usable. */
  readonly dropped: number;
  /** Why the stored copy was not refreshed. Empty after a refresh. */
  readonly reason: string;
}
