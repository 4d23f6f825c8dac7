/**
 * Counts the memory of all uploads below `/.guard/` that are under way, and bounds them. At the bound the
 * upload that began first is given up. A browser's upload takes a second, so the first one is slow: a
 * stranger who sends thousands of slow uploads loses those, and people's uploads arrive.
 */
export class UploadsUnderWay {
  readonly #maxBytes: number;
  /** Memory of each upload by the function that gives it up, in the order in which they began. */
  readonly #uploads = new Map<() => void, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds memory to an upload. May give up other uploads, or this one where it is the only one left.
   *
   * @param giveUp ends the upload, and must call `end`
   */
  add(giveUp: () => void, bytes: number): void {
    this.#uploads.set(giveUp, (this.#uploads.get(giveUp) ?? 0) + bytes);
    this.#bytes += bytes;
    for (const giveUpFirst of this.#uploads.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      giveUpFirst();
    }
  }

  end(giveUp: () => void): void {
    this.#bytes -= this.#uploads.get(giveUp) ?? 0;
    this.#uploads.delete(giveUp);
  }
}
