/** The time limit for one answer, and the function that finds the mirror of a URL. */
export interface FetchTerms {
  readonly timeoutMs: number;
  /** Undefined without a mirror. */
  readonly mirrorOf: ((url: string) => string) | undefined;
}

/** The result of fetching one list or directory. */
export interface FetchReport {
  readonly result: 'updated' | 'unchanged' | 'failed' | 'refused';
  /** Number of published entries that are not usable. */
  readonly dropped: number;
  /** Why the stored copy was not refreshed. Empty after a refresh. */
  readonly reason: string;
}
