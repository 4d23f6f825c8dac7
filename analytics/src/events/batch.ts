/** How the rows of a batch are laid out: the database's own names of its input formats. */
export type BatchFormat =
  /** One block, column by column. */
  | 'Native'
  /** One line a row. Not made any more; earlier versions may have left such batches on disk. */
  | 'JSONCompactEachRow';

/**
 * Rows on their way to the database, encoded once. A batch never changes after it was handed on: every
 * attempt sends the same bytes under the same token, so that the database can tell a retry. Before, each
 * state of it that goes to disk is a batch with the token it will have.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly format: BatchFormat;
  readonly rows: number;
  readonly bytes: number;
  readonly body: Buffer;
}
