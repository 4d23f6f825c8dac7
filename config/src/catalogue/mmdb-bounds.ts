import { createRequire } from 'node:module';

/**
 * Values and characters of one record, or of what a file says of itself. A city with its names in ten languages has some
 * 2,000.
 */
const MOST = 16_384;

/** What the library decodes with. Its types keep most of it private. */
interface Decoder {
  decode: (this: Decoder, offset: number) => unknown;
  decodeArray: (this: Decoder, size: number, offset: number) => unknown;
  decodeString: (this: Decoder, offset: number, size: number) => unknown;
}

let left = Infinity;

/**
 * Lets the library decode what is asked for in `read`. Throws what `read` throws, and where there is more than a record
 * can hold: 230 bytes of lists in lists stand for gigabytes, and a fetched file is of a stranger.
 */
export function bounded<Result>(read: () => Result): Result {
  left = MOST;
  try {
    return read();
  } finally {
    left = Infinity;
  }
}

/** Values and characters that {@link bounded} has decoded so far. */
export function decodedSize(): number {
  return MOST - left;
}

function charge(amount: number): void {
  left -= amount;
  if (left < 0) throw new Error('a record that is too large');
}

// The library makes its decoder itself, and reads what the file says of itself at once.
const library = createRequire(import.meta.url)('mmdb-lib/lib/decoder.js') as {
  readonly default: { readonly prototype: Decoder };
};
const decoder = library.default.prototype;
const { decode, decodeArray, decodeString } = decoder;
decoder.decode = function (offset) {
  charge(1);
  return decode.call(this, offset);
};
decoder.decodeArray = function (size, offset) {
  // It takes memory for all entries before it reads the first one.
  charge(size);
  return decodeArray.call(this, size, offset);
};
decoder.decodeString = function (offset, size) {
  charge(size);
  return decodeString.call(this, offset, size);
};
