import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** How a body is packed for the way, RFC 9110 8.4.1. */
export type Coding = 'br' | 'gzip' | 'identity';

/** A body as it travels. */
interface Encoded {
  readonly coding: Coding;
  readonly bytes: Buffer;
  /** Strong validator: of these very bytes, so each coding has its own (RFC 9110 8.8.3.3). */
  readonly etag: string;
}

/** The answer at one path, in each content coding. */
export interface Resource {
  readonly status: 200 | 400 | 404 | 429;
  /** Without those that depend on the coding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: (coding: Coding) => Encoded;
}

type Headers = Resource['headers'];

/**
 * A body that is asked for often: made and packed for the first who asks, in each coding once, and
 * kept. To do that for all of them at the start would make every start a sixth of a second longer.
 */
export function keptResource(headers: Headers, body: () => string): Resource {
  let bytes: Buffer | undefined;
  const kept = new Map<Coding, Encoded>();
  return {
    status: 200,
    headers,
    encoded: (coding) => {
      bytes ??= Buffer.from(body());
      const encoded = kept.get(coding) ?? pack(bytes, coding);
      kept.set(coding, encoded);
      return encoded;
    },
  };
}

/** A body that is made for each answer, and packed in the one coding of that answer. */
export function passingResource(
  headers: Headers,
  body: () => string,
  status: Resource['status'] = 200,
): Resource {
  return { status, headers, encoded: (coding) => pack(Buffer.from(body()), coding) };
}

/** A body that is packed already, such as a picture. */
export function packedResource(headers: Headers, bytes: Buffer): Resource {
  const kept = plain(bytes);
  return { status: 200, headers, encoded: () => kept };
}

function pack(bytes: Buffer, coding: Coding): Encoded {
  const packed = compress(bytes, coding);
  // A few words grow when they are packed.
  return packed.length < bytes.length
    ? { coding, bytes: packed, etag: etagOf(packed) }
    : plain(bytes);
}

function compress(bytes: Buffer, coding: Coding): Buffer {
  switch (coding) {
    case 'br':
      // From quality 5 on, these texts grow hardly smaller and take many times as long.
      return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    case 'gzip':
      return gzipSync(bytes);
    case 'identity':
      return bytes;
  }
}

function plain(bytes: Buffer): Encoded {
  return { coding: 'identity', bytes, etag: etagOf(bytes) };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
