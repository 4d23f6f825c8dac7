/**
 * Rows on their way to the database, encoded once. A batch never changes after it was handed on: every
 * attempt sends the same bytes under the same token, so that the database can tell a retry. Before that it
 * grows by whole parts, and each state that goes to disk is a batch with the same token.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly rows: number;
  readonly bytes: number;
  /** Blocks of ClickHouse's `Native` format. Never empty. The parts of an earlier state are the first ones of a later state. */
  readonly parts: readonly Buffer[];
}
