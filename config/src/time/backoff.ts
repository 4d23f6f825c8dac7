/** Waiting times that double from the first one to the longest. After a success they start again with the first one. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  /** Returns the milliseconds to wait before the next attempt. */
  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, this.#longestMs);
    return ms;
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
