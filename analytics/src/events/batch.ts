/**
 * Encoded rows for the database. A batch that was handed on does not change: every attempt sends the same bytes with
 * the same token, so that the database recognises a retry. Before that the batch grows by whole parts, and each state
 * that is saved to disk has the same token.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly rows: number;
  readonly bytes: number;
  /** Blocks of ClickHouse's `Native` format. Never empty. A later state begins with the parts of the earlier state. */
  readonly parts: readonly Buffer[];
}
