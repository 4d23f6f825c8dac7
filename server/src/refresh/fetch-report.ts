/** The time limit for one answer, and the mirror URL for each published URL. */
export interface FetchTerms {
  readonly timeoutMs: number;
  /** Undefined without a mirror. */
  readonly mirrorOf: ((url: string) => string) | undefined;
}

/** The result of fetching one list or directory. */
export interface FetchReport {
  readonly result: 'updated' | 'unchanged' | 'failed' | 'refused';
  /** Number of published entries that cannot be used. */
  readonly dropped: number;
  /** Why the stored copy was not refreshed. Empty when it was. */
  readonly reason: string;
}
