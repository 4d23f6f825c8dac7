import { ByteWriter } from './byte-writer.ts';

/** Rough memory size of an open block. The parts of the block add to it. */
export interface Weight {
  bytes: number;
}

/** The index of a string that is not stored in the block. */
export const LEFT_OUT = -1;

/** Memory of an entry in addition to its text. */
const ENTRY_BYTES = 64;

/**
 * The distinct strings of one column in one block, for columns with few different words. A word is checked, cut and
 * encoded once and then only looked up. For text that a visitor chooses, writing it again is cheaper.
 */
export class Dictionary {
  readonly #clean: (raw: string) => string | undefined;
  readonly #weight: Weight;
  readonly #indexes = new Map<string, number>();
  readonly #keys = new ByteWriter();
  #size = 0;
  /** Most words repeat the word of the row before. */
  #lastRaw: string | undefined;
  #lastIndex = LEFT_OUT;

  /**
   * @param clean the string as it is stored. Undefined when it is left out. A stored string must itself be
   *   clean: `clean(stored) === stored`.
   */
  constructor(clean: (raw: string) => string | undefined, weight: Weight) {
    this.#clean = clean;
    this.#weight = weight;
  }

  /** Distinct strings as they are stored. */
  get size(): number {
    return this.#size;
  }

  indexOf(raw: string): number {
    if (raw === this.#lastRaw) return this.#lastIndex;
    this.#lastIndex = this.#indexes.get(raw) ?? this.#meet(raw);
    this.#lastRaw = raw;
    return this.#lastIndex;
  }

  /** The stored strings in the order of their indexes. Valid until the next new string. */
  keys(): Buffer {
    return this.#keys.written();
  }

  clear(): void {
    this.#indexes.clear();
    this.#keys.clear();
    this.#size = 0;
    this.#lastRaw = undefined;
  }

  #meet(raw: string): number {
    const stored = this.#clean(raw);
    const index = stored === undefined ? LEFT_OUT : this.#indexOfStored(stored);
    if (stored !== raw) this.#indexes.set(raw, index);
    this.#weight.bytes += ENTRY_BYTES + raw.length;
    return index;
  }

  /** Several strings may be stored as the same string. They share one index. */
  #indexOfStored(stored: string): number {
    const known = this.#indexes.get(stored);
    if (known !== undefined) return known;
    this.#keys.text(stored);
    this.#indexes.set(stored, this.#size);
    return this.#size++;
  }
}
