/** Waiting times that double from the first waiting time up to the longest. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  /** The next waiting time in milliseconds. */
  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, this.#longestMs);
    return ms;
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
