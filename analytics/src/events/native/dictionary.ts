import { ByteWriter } from './byte-writer.ts';

/** What a block under construction takes of memory, roughly; its parts add to it as they grow. */
export interface Weight {
  bytes: number;
}

/** The index of a string that the block is to be without. */
export const LEFT_OUT = -1;

/** What an entry costs in addition to its text. */
const ENTRY_BYTES = 64;

/**
 * The distinct strings of one column of one block, for columns of few words: a word is checked, cut
 * and encoded when it is met first, and is a look-up from then on. Text that a visitor chooses is
 * cheaper to write again than to look up.
 */
export class Dictionary {
  readonly #clean: (raw: string) => string | undefined;
  readonly #weight: Weight;
  readonly #indexes = new Map<string, number>();
  readonly #keys = new ByteWriter();
  #size = 0;
  /** Most words are the one of the row before. */
  #lastRaw: string | undefined;
  #lastIndex = LEFT_OUT;

  /**
   * @param clean the string as it is stored, undefined when it is to be left out. What is stored must
   *   itself be clean: `clean(stored) === stored`.
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

  /** The stored strings in the order of their indexes. Valid until the next string is met. */
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

  /** Several strings may be stored as the same one, and it has one index. */
  #indexOfStored(stored: string): number {
    const known = this.#indexes.get(stored);
    if (known !== undefined) return known;
    this.#keys.text(stored);
    this.#indexes.set(stored, this.#size);
    return this.#size++;
  }
}
