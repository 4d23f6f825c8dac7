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

/** Collects encoded rows until somebody takes them as a batch. */
export class BatchBuilder {
  #body: Buffer[] = [];
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

  add(lines: Buffer, rows: number, nowMs: number): void {
    if (this.#rows === 0) this.#openedAt = nowMs;
    this.#body.push(lines);
    this.#rows += rows;
    this.#bytes += lines.length;
  }

  /** All rows collected so far as a batch, or undefined when there are none. */
  take(): Batch | undefined {
    if (this.#rows === 0) return undefined;
    const batch = {
      token: randomUUID(),
      rows: this.#rows,
      bytes: this.#bytes,
      body: this.#body,
    };
    this.#body = [];
    this.#rows = 0;
    this.#bytes = 0;
    return batch;
  }
}
