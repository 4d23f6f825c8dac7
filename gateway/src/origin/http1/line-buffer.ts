/** What came of a line whose end has not come yet. Whoever appends keeps the bound. */
export class LineBuffer {
  length = 0;
  #bytes = Buffer.alloc(0);

  append(chunk: Buffer, from: number, to: number): void {
    const needed = this.length + to - from;
    if (needed > this.#bytes.length) this.#grow(needed);
    chunk.copy(this.#bytes, this.length, from, to);
    this.length = needed;
  }

  /** The bytes so far, in place; the buffer is empty after it, and the bytes hold until the next append. */
  take(): Buffer {
    const line = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return line;
  }

  /** Doubles, so that a line that comes byte by byte is copied a constant number of times. */
  #grow(needed: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(256, needed, 2 * this.#bytes.length));
    this.#bytes.copy(bytes, 0, 0, this.length);
    this.#bytes = bytes;
  }
}
