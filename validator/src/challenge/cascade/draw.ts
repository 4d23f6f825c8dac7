import { hash } from 'node:crypto';

/** Seven blocks of SHAKE256: as much as almost every sheet takes. */
const BYTES = 952;

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/** Numbers that follow from a secret and a text. Without the secret they cannot be told. */
export class Draw {
  readonly #seed: Buffer;
  /** A character for each byte: for node:crypto a Buffer is dearer to make than all bytes in it are. */
  #bytes: string;
  #at = 0;

  constructor(secret: Uint8Array, text: string) {
    this.#seed = Buffer.concat([secret, Buffer.from(text)]);
    this.#bytes = this.#drawn(BYTES);
  }

  /** SHAKE256 (FIPS 202) gives as many bytes as are asked for, and begins with the same ones for every length. */
  #drawn(outputLength: number): string {
    return hash('shake256', this.#seed, { outputEncoding: 'binary', outputLength });
  }

  /** A whole number between these, both included; at most 65,536 apart. */
  int(from: number, to: number): number {
    if (this.#at === this.#bytes.length) this.#bytes = this.#drawn(2 * this.#at);
    const low = this.#bytes.charCodeAt(this.#at++);
    const drawn = low | (this.#bytes.charCodeAt(this.#at++) << 8);
    return from + (drawn % (to - from + 1));
  }

  /** A whole number of 32 bits, with a sign. */
  int32(): number {
    return (this.int(0, 0xffff) << 16) | this.int(0, 0xffff);
  }

  /** Names without an end, no two alike. With a digit, so that no list of advertisements has them. */
  names(): () => string {
    const letters = this.shuffled(LETTERS);
    let at = this.int(0, 99);
    return () => {
      const [one = '', two = ''] = [letters[at % 26], letters[Math.floor(at / 26) % 26]];
      at += 1;
      return `${one}${this.int(2, 9)}${two}`;
    };
  }

  flip(): boolean {
    return this.int(0, 1) === 1;
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(0, list.length - 1)] ?? list[0];
  }

  /** A new list in another order (Fisher and Yates). */
  shuffled<T>(list: readonly T[]): T[] {
    const mixed = [...list];
    for (let last = mixed.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      const moved = mixed[last];
      mixed[last] = mixed[other] as T; // Both are within the list.
      mixed[other] = moved as T;
    }
    return mixed;
  }
}
