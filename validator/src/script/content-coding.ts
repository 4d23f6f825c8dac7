import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** One text in all content codings that Guard offers. */
type Codings = readonly {
  /** The value of Content-Encoding. Undefined for the uncompressed text. */
  readonly coding: 'br' | 'gzip' | undefined;
  readonly bytes: Uint8Array;
}[];

/** The scripts that Guard serves. They do not change at a reload, so they are compressed only once. */
const codingsByText = new LRUCache<string, Codings>({ max: 4 });

/**
 * All codings of a text, the smallest first. The last one is the uncompressed text, which every client accepts (RFC
 * 9110 12.5.3).
 */
export function encodeOnce(text: string): Codings {
  const codings = codingsByText.get(text) ?? encode(text);
  codingsByText.set(text, codings);
  return codings;
}

function encode(text: string): Codings {
  const bytes = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return [
    { coding: 'br', bytes: brotliCompressSync(bytes, { params }) },
    { coding: 'gzip', bytes: gzipSync(bytes, { level: 9 }) },
    { coding: undefined, bytes },
  ];
}
