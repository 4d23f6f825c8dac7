import { brotliDecompressSync } from 'node:zlib';
import type { AddressRuns } from '../net/address-map.ts';

/**
 * The format of config/data/ip/asn.bin.br, compressed with Brotli. For IPv4 and then for IPv6 it has: the number of
 * runs, the distance of each start from the start before it, and the number of each autonomous system. All are
 * variable-length integers with seven bits a byte, least significant first. A gap is a run of AS 0. The values are
 * stored in columns, because columns compress to two thirds of the size of rows.
 */

/** Maximum number of bytes of an unpacked file. The bundled one has three million. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Decompresses a file. Throws an Error for bytes that are not Brotli, and for a result above the limit. */
export function unpack(file: Uint8Array): Buffer {
  return brotliDecompressSync(file, { maxOutputLength: MAX_UNPACKED_BYTES });
}

/** Reads the runs of addresses from a file. Throws an Error for a file in another format, and for a truncated file. */
export function decodeAsnFile(file: Uint8Array): AddressRuns {
  const reader = new VarintReader(unpack(file));
  const runs = { v4: readV4(reader), v6: readV6(reader) };
  if (!reader.isAtEnd) throw new RangeError('bytes after the last run');
  return runs;
}

function readV4(reader: VarintReader): AddressRuns['v4'] {
  const count = reader.count();
  const starts = new Uint32Array(count);
  let start = 0;
  for (let at = 0; at < count; at += 1) {
    reader.next();
    start += reader.low + reader.high * LOW_RANGE;
    starts[at] = start;
  }
  return { starts, values: readAsns(reader, count) };
}

const WORD = 2 ** 32;

function readV6(reader: VarintReader): AddressRuns['v6'] {
  const count = reader.count();
  const highs = new Uint32Array(count);
  const lows = new Uint32Array(count);
  let high = 0;
  let low = 0;
  for (let at = 0; at < count; at += 1) {
    reader.next();
    // A distance has up to 64 bits, which a number cannot represent exactly. So it is added in two parts.
    low += reader.low + (reader.high % 16) * LOW_RANGE;
    high += Math.floor(reader.high / 16);
    if (low >= WORD) {
      low -= WORD;
      high += 1;
    }
    highs[at] = high;
    lows[at] = low;
  }
  return { highs, lows, values: readAsns(reader, count) };
}

function readAsns(reader: VarintReader, count: number): Uint32Array {
  const values = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) {
    reader.next();
    values[at] = reader.low + reader.high * LOW_RANGE;
  }
  return values;
}

/** The range of the first four bytes of an integer. */
const LOW_RANGE = 2 ** 28;

class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The last integer: `low` has its 28 least significant bits, `high` the rest, at most 42 bits. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  next(): void {
    this.low = 0;
    this.high = 0;
    for (let byteIndex = 0, unit = 1; byteIndex < 10; byteIndex += 1, unit *= 128) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      if (byteIndex < 4) this.low += (byte & 127) * unit;
      else this.high += (byte & 127) * (unit / LOW_RANGE);
      if (byte < 128) return;
    }
    throw new RangeError('an integer that is cut off');
  }

  /** Each run takes at least two bytes. */
  count(): number {
    this.next();
    const count = this.low + this.high * LOW_RANGE;
    if (count * 2 > this.#bytes.length - this.#at) throw new RangeError('more runs than bytes');
    return count;
  }
}
