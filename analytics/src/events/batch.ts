/**
 * Encoded rows for the database. After a batch is passed on, it does not change. Each attempt sends the same bytes with
 * the same token, so that the database recognises a retry. Before the batch is passed on, it grows by whole parts. It
 * has the same token in each state that is saved to disk.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly rows: number;
  readonly bytes: number;
  /**
   * Blocks of ClickHouse's `Native` format. Never empty. A later state of the batch begins with the parts of the
   * earlier state.
   */
  readonly parts: readonly Buffer[];
}
