import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** One text in the forms a browser may take it in, made once. */
export type Codings = readonly {
  /** Its name in Content-Encoding; undefined for the text as it is. */
  readonly coding: 'br' | 'gzip' | undefined;
  readonly bytes: Uint8Array;
}[];

/** The scripts that Guard serves: they are the same when settings are read again. */
const known = new LRUCache<string, Codings>({ max: 4 });

/** Best first. The last is the plain text, which every client accepts (RFC 9110 12.5.3). */
export function encodeOnce(text: string): Codings {
  const codings = known.get(text) ?? encode(text);
  known.set(text, codings);
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

/** True when an Accept-Encoding header names the coding, and not with the weight 0. */
export function accepts(header: string, coding: string): boolean {
  return header.split(',', 32).some((part) => {
    const [name = '', ...parameters] = part.split(';');
    const refused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
    return name.trim().toLowerCase() === coding && !refused;
  });
}
