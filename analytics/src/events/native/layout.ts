import type { Dictionary } from './dictionary.ts';
import type { NumberList } from './number-list.ts';

/**
 * The parts of a column in ClickHouse's `Native` format, as it is read without a protocol version
 * (over HTTP). Numbers are little-endian, as typed arrays are on every machine Guard is made for.
 */

/** Bits beside the index type that say: a dictionary of this block's own follows. */
const OWN_DICTIONARY = 0x600;

/** Keys, then one index an element; nothing at all where there is no element. */
export function dictionaryData(dictionary: Dictionary, indexes: NumberList): Buffer[] {
  if (indexes.length === 0) return [];
  const { width, bytes } = narrowed(indexes.values(), dictionary.size);
  return [
    uint64(OWN_DICTIONARY | width),
    uint64(dictionary.size),
    dictionary.keys(),
    uint64(indexes.length),
    bytes,
  ];
}

/** Where the elements of each row end: of Array and Map. */
export function rowEnds(ends: NumberList): Buffer {
  const wide = new Uint32Array(2 * ends.length);
  for (let row = 0; row < ends.length; row += 1) wide[2 * row] = ends.at(row);
  return bytesOf(wide);
}

export function bytesOf(numbers: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Indexes in as few bytes as their dictionary allows; `width` is the format's number for it. */
function narrowed(indexes: Uint32Array, size: number): { width: number; bytes: Buffer } {
  if (size <= 2 ** 8) return { width: 0, bytes: bytesOf(new Uint8Array(indexes)) };
  if (size <= 2 ** 16) return { width: 1, bytes: bytesOf(new Uint16Array(indexes)) };
  return { width: 2, bytes: bytesOf(indexes) };
}

export function uint64(value: number): Buffer {
  return bytesOf(new Uint32Array([value, 0]));
}
