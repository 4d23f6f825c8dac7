import { LRUCache } from 'lru-cache';

/**
 * A bounded map that forgets the least recently used entry. An LRUCache allocates the memory of all entries at once, so
 * this map creates it only with the first entry. Of 1,000 organisations, most can be without visitors.
 */
export class LazyCache<Value extends object | number> {
  readonly #max: number;
  #entries: LRUCache<string, Value> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  /** The value of a key. The call is a use of the entry. */
  get(key: string): Value | undefined {
    return this.#entries?.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries ??= new LRUCache({ max: this.#max });
    this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries?.delete(key);
  }
}
