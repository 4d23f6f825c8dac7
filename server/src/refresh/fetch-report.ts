export interface FetchTerms {
  readonly timeoutMs: number;
  /** The URL of a list on the mirror. Undefined when there is no mirror. */
  readonly mirrorOf: ((url: string) => string) | undefined;
}

export interface FetchReport {
  readonly result: 'updated' | 'unchanged' | 'failed' | 'refused';
  /** The number of published entries that cannot be used. */
  readonly dropped: number;
  /** Why the stored copy was not refreshed. Empty after a refresh. */
  readonly reason: string;
}
