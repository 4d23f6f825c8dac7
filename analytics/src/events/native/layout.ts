import type { Dictionary } from './dictionary.ts';
import type { NumberList } from './number-list.ts';

/**
 * Functions for the parts of a column in ClickHouse's `Native` format. Its numbers are little-endian, and so are typed
 * arrays on all supported machines.
 */

/** Flags that are sent together with the index type. They say that the block has its own dictionary. */
const OWN_DICTIONARY_FLAGS = 0x600;

/** Returns the keys, then one index for each element. Empty when there is no element. */
export function dictionaryData(dictionary: Dictionary, indexes: NumberList): Buffer[] {
  if (indexes.length === 0) return [];
  const { width, bytes } = narrowIndexes(indexes.values(), dictionary.size);
  return [
    uint64(OWN_DICTIONARY_FLAGS | width),
    uint64(dictionary.size),
    dictionary.keys(),
    uint64(indexes.length),
    bytes,
  ];
}

/** Returns the end positions of the rows, for columns of the types Array and Map. */
export function rowEnds(ends: NumberList): Buffer {
  const wide = new Uint32Array(2 * ends.length);
  for (let row = 0; row < ends.length; row += 1) wide[2 * row] = ends.at(row);
  return bytesOf(wide);
}

export function bytesOf(numbers: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Packs indexes into as few bytes as the dictionary size allows. `width` is the format's code for the size. */
function narrowIndexes(indexes: Uint32Array, size: number): { width: number; bytes: Buffer } {
  if (size <= 2 ** 8) return { width: 0, bytes: bytesOf(new Uint8Array(indexes)) };
  if (size <= 2 ** 16) return { width: 1, bytes: bytesOf(new Uint16Array(indexes)) };
  return { width: 2, bytes: bytesOf(indexes) };
}

export function uint64(value: number): Buffer {
  return bytesOf(new Uint32Array([value, 0]));
}
