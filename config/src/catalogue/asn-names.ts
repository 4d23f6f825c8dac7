import { unpack } from './asn-file.ts';

/**
 * The format of config/data/ip/asn-names.txt.br, compressed with Brotli: one line for each autonomous system, in
 * ascending order. A line has the distance of its number from the number before it, a space, and the name of its
 * holder.
 */

const NEWLINE = 10;
const SPACE = 32;
const ZERO = 48;

/** The unpacked names and the start of each. A name becomes a string only when it is requested. */
export class AsnNames {
  readonly #bytes: Buffer;
  readonly #numbers: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #readNames: (string | undefined)[];

  /** Reads a file of names. Throws an Error for a file in another format. */
  constructor(file: Uint8Array) {
    this.#bytes = unpack(file);
    const { numbers, starts } = linesOf(this.#bytes);
    this.#numbers = numbers;
    this.#starts = starts;
    this.#readNames = Array.from({ length: numbers.length });
  }

  /** The holder of an autonomous system. Empty when it is not known. */
  nameOf(asn: number): string {
    const at = this.#placeOf(asn);
    if (at === -1) return '';
    return (this.#readNames[at] ??= this.#textAt(this.#starts[at] ?? 0));
  }

  #textAt(start: number): string {
    return this.#bytes.toString('utf8', start, this.#bytes.indexOf(NEWLINE, start));
  }

  #placeOf(asn: number): number {
    let low = 0;
    let high = this.#numbers.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const number = this.#numbers[middle] ?? 0;
      if (number === asn) return middle;
      if (number < asn) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

function linesOf(bytes: Buffer): { readonly numbers: Uint32Array; readonly starts: Uint32Array } {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
  const numbers = new Uint32Array(count);
  const starts = new Uint32Array(count);
  let number = 0;
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    let distance = 0;
    for (let digit = bytes[at]; digit !== SPACE; digit = bytes[at]) {
      if (digit === undefined) throw new RangeError('a line without a name');
      distance = distance * 10 + digit - ZERO;
      at += 1;
    }
    number += distance;
    numbers[line] = number;
    starts[line] = at + 1;
    while (bytes[at] !== NEWLINE) at += 1;
    at += 1;
  }
  if (at !== bytes.length) throw new RangeError('a line without end');
  return { numbers, starts };
}
