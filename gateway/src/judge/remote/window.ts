/** Bytes of questions at once: before the validator has shown how fast it is, and at the most. */
const FIRST_BYTES = 16 * 1024;
const MOST_BYTES = 256 * 1024;

/**
 * How much one validator is asked at once: as much as it answers promptly. Bytes are counted and not
 * questions, because what a question costs goes with its length. The window grows by the length of each
 * question that was answered promptly while others wait, so it doubles with each round; it halves when
 * answers take long, at most once in the time that one may take; and what is not used goes again. A burst of
 * visitors thus waits here, where it is counted, and not at the validator, where it would look like silence.
 */
export class Window {
  readonly #limitMs: number;
  #size = FIRST_BYTES;
  #underWay = 0;
  #answers = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;

  /** `limitMs` is what an answer may take. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** How many answers there were so far. */
  get answers(): number {
    return this.#answers;
  }

  /** Whether a question of this length may be sent now. One alone always may. */
  fits(bytes: number): boolean {
    return this.#underWay === 0 || this.#underWay + bytes <= this.#size;
  }

  sent(bytes: number): void {
    this.#underWay += bytes;
  }

  /** A question that was sent has ended, however it did. */
  ended(bytes: number, areOthersWaiting: boolean): void {
    this.#underWay -= bytes;
    if (this.#underWay === 0 && !areOthersWaiting) this.#size = FIRST_BYTES;
  }

  /** Its answer took so long. `now` counts as the time taken does. */
  answered(bytes: number, tookMs: number, now: number, areOthersWaiting: boolean): void {
    this.#answers += 1;
    if (tookMs > this.#limitMs / 2) this.silent(now);
    else if (tookMs > this.#limitMs / 4) return;
    else if (areOthersWaiting) this.#size = Math.min(this.#size + bytes, MOST_BYTES);
    else if (2 * this.#underWay < this.#size)
      this.#size = Math.max(this.#size - bytes, FIRST_BYTES);
  }

  /** An answer did not come in time. */
  silent(now: number): void {
    if (now - this.#halvedAt < this.#limitMs) return;
    this.#halvedAt = now;
    this.#size = Math.max(this.#size >> 1, FIRST_BYTES);
  }
}
