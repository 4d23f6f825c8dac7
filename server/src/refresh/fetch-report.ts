/** How long to wait for one answer, and where a mirror has what is published at a URL. */
export interface FetchTerms {
  readonly timeoutMs: number;
  /** Undefined without a mirror. */
  readonly mirrorOf: ((url: string) => string) | undefined;
}

/** The result of fetching one list or directory. */
export interface FetchReport {
  readonly result: 'updated' | 'unchanged' | 'failed' | 'refused';
  /** Published entries that cannot be used. */
  readonly dropped: number;
  /** Why what is kept stays as it is; empty when it was refreshed. */
  readonly reason: string;
}
