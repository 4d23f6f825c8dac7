import { hash } from 'node:crypto';

/** Seven blocks of SHAKE256. Nearly every sheet needs at most this many bytes. */
const BYTES = 952;

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/**
 * A pseudorandom generator, seeded with a secret and a text. A program without the secret cannot predict its numbers.
 */
export class Draw {
  readonly #seed: Buffer;
  /**
   * A string with one character per byte. A Buffer would be slower: creating it costs more than reading all its bytes.
   */
  #bytes: string;
  #offset = 0;

  constructor(secret: Uint8Array, text: string) {
    this.#seed = Buffer.concat([secret, Buffer.from(text)]);
    this.#bytes = this.#randomBytes(BYTES);
  }

  /** SHAKE256 (FIPS 202) outputs any number of bytes. A longer output starts with the bytes of a shorter output. */
  #randomBytes(outputLength: number): string {
    return hash('shake256', this.#seed, { outputEncoding: 'binary', outputLength });
  }

  /** A random whole number from `from` to `to`, both included. The range has at most 65,536 numbers. */
  int(from: number, to: number): number {
    if (this.#offset === this.#bytes.length) this.#bytes = this.#randomBytes(2 * this.#offset);
    const low = this.#bytes.charCodeAt(this.#offset++);
    const value = low | (this.#bytes.charCodeAt(this.#offset++) << 8);
    return from + (value % (to - from + 1));
  }

  /** A random signed 32-bit whole number. */
  int32(): number {
    return (this.int(0, 0xffff) << 16) | this.int(0, 0xffff);
  }

  /**
   * Returns a function that returns a new name at each call. Each name contains a digit, because advertisement
   * blocklists contain no such names.
   */
  names(): () => string {
    const letters = this.shuffle(LETTERS);
    let nameIndex = this.int(0, 99);
    return () => {
      const [one = '', two = ''] = [
        letters[nameIndex % 26],
        letters[Math.floor(nameIndex / 26) % 26],
      ];
      nameIndex += 1;
      return `${one}${this.int(2, 9)}${two}`;
    };
  }

  flip(): boolean {
    return this.int(0, 1) === 1;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(0, list.length - 1)] ?? list[0];
  }

  /** A copy of the list in random order (Fisher and Yates). */
  shuffle<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last--) {
      const target = this.int(0, last);
      const lastItem = copy[last];
      copy[last] = copy[target] as T; // Both indexes are within the list.
      copy[target] = lastItem as T;
    }
    return copy;
  }
}
