import { ByteWriter } from './byte-writer.ts';

/** Estimated memory of an open block, in bytes. Each part of the block adds its own bytes. */
export interface Weight {
  bytes: number;
}

/** The index of a string that is not stored in the block. */
export const LEFT_OUT_INDEX = -1;

/** Memory of an entry in addition to its text. */
const ENTRY_BYTES = 64;

/**
 * The distinct strings of one column in one block, for columns with few different words. A word is checked, cut and
 * encoded once and then only looked up. Text that a visitor chooses is not stored in a dictionary, because writing it
 * again is cheaper.
 */
export class Dictionary {
  readonly #clean: (raw: string) => string | undefined;
  readonly #weight: Weight;
  readonly #indexes = new Map<string, number>();
  readonly #keys = new ByteWriter();
  #size = 0;
  /** The previous word, because most words are equal to the word of the previous row. */
  #lastRaw: string | undefined;
  #lastIndex = LEFT_OUT_INDEX;

  /**
   * @param clean returns the string as it is stored, or undefined when it is left out. A stored string must itself be
   *   clean: `clean(stored) === stored`.
   */
  constructor(clean: (raw: string) => string | undefined, weight: Weight) {
    this.#clean = clean;
    this.#weight = weight;
  }

  /** Number of distinct stored strings. */
  get size(): number {
    return this.#size;
  }

  indexOf(raw: string): number {
    if (raw === this.#lastRaw) return this.#lastIndex;
    this.#lastIndex = this.#indexes.get(raw) ?? this.#addRaw(raw);
    this.#lastRaw = raw;
    return this.#lastIndex;
  }

  /** The stored strings in the order of their indexes. Valid until the next new string. */
  keys(): Buffer {
    return this.#keys.writtenBytes();
  }

  clear(): void {
    this.#indexes.clear();
    this.#keys.clear();
    this.#size = 0;
    this.#lastRaw = undefined;
  }

  #addRaw(raw: string): number {
    const storedText = this.#clean(raw);
    const index = storedText === undefined ? LEFT_OUT_INDEX : this.#indexOfStored(storedText);
    if (storedText !== raw) this.#indexes.set(raw, index);
    this.#weight.bytes += ENTRY_BYTES + raw.length;
    return index;
  }

  /** Several raw strings can have the same stored form. They share one index. */
  #indexOfStored(storedText: string): number {
    const knownIndex = this.#indexes.get(storedText);
    if (knownIndex !== undefined) return knownIndex;
    this.#keys.text(storedText);
    this.#indexes.set(storedText, this.#size);
    return this.#size++;
  }
}
