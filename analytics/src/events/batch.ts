/** How the rows of a batch are laid out: the database's own names of its input formats. */
export type BatchFormat =
  /** Blocks, column by column. The database makes one insert of them. */
  | 'Native'
  /** One line a row. Not made any more; earlier versions may have left such batches on disk. */
  | 'JSONCompactEachRow';

/**
 * Rows on their way to the database, encoded once. A batch never changes after it was handed on: every
 * attempt sends the same bytes under the same token, so that the database can tell a retry. Before that it
 * grows by whole parts, and each state that goes to disk is a batch with the same token.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly format: BatchFormat;
  readonly rows: number;
  readonly bytes: number;
  /** Never empty. The parts of an earlier state are the first ones of a later state. */
  readonly parts: readonly Buffer[];
}
