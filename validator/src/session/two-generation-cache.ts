import { detachedCopy } from '../request/detached-copy.ts';

/**
 * A bounded map that forgets entries that were not used for long. New and used entries are in the young generation.
 * When the young generation is full, it becomes the old generation, and the previous old generation is forgotten.
 *
 * The map has at most `max` entries, and never forgets the `max / 2` most recently used entries. A caller can list its
 * content over many turns of the event loop. lru-cache can be listed only in one turn, which would delay all requests
 * meanwhile (bench/BASELINE-maps.md).
 */
export class TwoGenerationCache<Value> {
  readonly #generationSize: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** `max` must be at least 2. */
  constructor(max: number) {
    this.#generationSize = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value of a key. The call is a use of the entry. */
  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#revive(key);
  }

  set(key: string, value: Value): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(detachedCopy(key), value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /**
   * All entries, with the old generation first. Listing is no use of an entry. A caller that lists over many turns gets
   * every entry that is in the map the whole time, and can get an entry twice.
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
