import { ownText } from '../request/own-text.ts';

/**
 * A bounded map that forgets what was not used for long. New and used entries live in the young
 * generation; when that is full it becomes the old one, and what is still in the old one is forgotten.
 *
 * It holds at most `max` entries, and never forgets one of the `max / 2` used last. Its content can be listed
 * over many turns, while entries are used. lru-cache can list it in one turn only, which would stop all
 * requests meanwhile (bench/BASELINE-maps.md).
 *
 * With keys and values of a bounded length, the number of entries is a bound in bytes too.
 */
export class TwoGenerationCache<Value> {
  readonly #generationSize: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** `max` is at least 2: one entry a generation. */
  constructor(max: number) {
    this.#generationSize = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value of a key, which counts as used by that. */
  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#revive(key);
  }

  set(key: string, value: Value): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(ownText(key), value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /**
   * All entries, those unused longest first. Listing an entry does not count as use. A caller that lists over many
   * turns may get an entry twice, and gets each one that was there from beginning to end.
   */
  *entries(): Generator<[string, Value]> {
    const [old, young] = [this.#old, this.#young];
    yield* old;
    yield* young;
    if (this.#young !== young) yield* this.#young;
  }

  #revive(key: string): Value | undefined {
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
