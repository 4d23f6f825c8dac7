import { randomUUID } from 'node:crypto';

/**
 * Rows on their way to the database, encoded once. A batch never changes after it was made: every
 * attempt sends the same bytes under the same token, so that the database can tell a retry.
 */
export interface Batch {
  /** Deduplication token (`insert_deduplication_token`). */
  readonly token: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lines of JSONCompactEachRow, each with its line feed. */
  readonly body: readonly Buffer[];
}

/** Rows are gathered in pieces of this size: thousands of small buffers cost more than their bytes. */
const PIECE_BYTES = 256 * 1024;
/** A character of JSON text takes at most three bytes for each UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Collects encoded rows until somebody takes them as a batch. */
export class BatchBuilder {
  #full: Buffer[] = [];
  #piece: Buffer | undefined;
  #used = 0;
  #rows = 0;
  #bytes = 0;
  #openedAt = 0;

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Milliseconds since the first row was added; 0 while there is none. */
  ageMs(nowMs: number): number {
    return this.#rows === 0 ? 0 : nowMs - this.#openedAt;
  }

  add(lines: string, rows: number, nowMs: number): void {
    if (this.#rows === 0) this.#openedAt = nowMs;
    const piece = this.#pieceFor(lines.length * MAX_BYTES_PER_UNIT);
    const written = piece.write(lines, this.#used);
    this.#used += written;
    this.#rows += rows;
    this.#bytes += written;
  }

  /** All rows collected so far as a batch, or undefined when there are none. */
  take(): Batch | undefined {
    if (this.#rows === 0) return undefined;
    this.#endPiece();
    const batch = {
      token: randomUUID(),
      rows: this.#rows,
      bytes: this.#bytes,
      body: this.#full,
    };
    this.#full = [];
    this.#rows = 0;
    this.#bytes = 0;
    return batch;
  }

  /** A piece with room for so many bytes more. */
  #pieceFor(bytes: number): Buffer {
    if (this.#piece !== undefined && this.#used + bytes <= this.#piece.length) return this.#piece;
    this.#endPiece();
    this.#piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
    return this.#piece;
  }

  #endPiece(): void {
    if (this.#piece !== undefined && this.#used > 0) {
      this.#full.push(this.#piece.subarray(0, this.#used));
    }
    this.#piece = undefined;
    this.#used = 0;
  }
}
