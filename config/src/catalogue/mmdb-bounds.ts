import { createRequire } from 'node:module';

/**
 * The maximum number of values and characters of one record, or of a file's metadata. The record of a city with names
 * in ten languages has about 2,000.
 */
const MAX_VALUES = 16_384;

/** The library's decoder. The library's types hide most of its methods. */
interface Decoder {
  decode: (this: Decoder, offset: number) => unknown;
  decodeArray: (this: Decoder, size: number, offset: number) => unknown;
  decodeString: (this: Decoder, offset: number, size: number) => unknown;
}

let valuesLeft = Infinity;

/**
 * Limits what the library decodes during `read`. Rethrows errors of `read`, and throws when a record is too large.
 * 230 bytes of nested lists can expand to gigabytes, and a fetched file is not trusted.
 */
export function withBounds<Result>(read: () => Result): Result {
  valuesLeft = MAX_VALUES;
  try {
    return read();
  } finally {
    valuesLeft = Infinity;
  }
}

/** Number of values and characters that {@link withBounds} has decoded. */
export function decodedSize(): number {
  return MAX_VALUES - valuesLeft;
}

function charge(amount: number): void {
  valuesLeft -= amount;
  if (valuesLeft < 0) throw new Error('a record that is too large');
}

// The library creates its decoder itself and decodes the metadata at once, so the limits are patched into the decoder's
// prototype.
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
  // The entries are counted before the read, because the library allocates memory for all of them before it reads the
  // first one.
  charge(size);
  return decodeArray.call(this, size, offset);
};
decoder.decodeString = function (offset, size) {
  charge(size);
  return decodeString.call(this, offset, size);
};
