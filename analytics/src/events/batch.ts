/**
 * Rows for the database, encoded once. A batch does not change after it was handed on: every attempt sends
 * the same bytes under the same token, so that the database can recognise a retry. Before that it grows by
 * whole parts. Each state that is written to disk is a batch with the same token.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly rows: number;
  readonly bytes: number;
  /** Blocks of ClickHouse's `Native` format. Never empty. A later state begins with the parts of the earlier state. */
  readonly parts: readonly Buffer[];
}
