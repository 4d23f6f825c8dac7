import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The content coding of a body (RFC 9110 8.4.1). */
export type Coding = 'br' | 'gzip' | 'identity';

interface EncodedBody {
  readonly coding: Coding;
  readonly bytes: Buffer;
  /** A strong etag for exactly these bytes, so each coding has its own etag (RFC 9110 8.8.3.3). */
  readonly etag: string;
}

/** The answer for one path, in any content coding. */
export interface Resource {
  readonly status: 200 | 400 | 404 | 429;
  /** The headers that are the same for all codings. */
  readonly headers: Readonly<Record<string, string>>;
  readonly encode: (coding: Coding) => EncodedBody;
}

type Headers = Resource['headers'];

/**
 * A resource that is requested often. The first request for a coding builds and compresses the resource. Doing this for
 * all resources at the start would take a sixth of a second. Later requests get the same bytes.
 */
export function keptResource(headers: Headers, body: () => string): Resource {
  let bytes: Buffer | undefined;
  const bodyByCoding = new Map<Coding, EncodedBody>();
  return {
    status: 200,
    headers,
    encode: (coding) => {
      bytes ??= Buffer.from(body());
      const encodedBody = bodyByCoding.get(coding) ?? pack(bytes, coding);
      bodyByCoding.set(coding, encodedBody);
      return encodedBody;
    },
  };
}

/** A resource that is built and compressed for each answer. */
export function passingResource(
  headers: Headers,
  body: () => string,
  status: Resource['status'] = 200,
): Resource {
  return { status, headers, encode: (coding) => pack(Buffer.from(body()), coding) };
}

/** A resource that is already compressed, such as a picture. */
export function packedResource(headers: Headers, bytes: Buffer): Resource {
  const encodedBody = encodeIdentity(bytes);
  return { status: 200, headers, encode: () => encodedBody };
}

function pack(bytes: Buffer, coding: Coding): EncodedBody {
  const compressedBytes = compress(bytes, coding);
  // Compression can make a very short text longer.
  return compressedBytes.length < bytes.length
    ? { coding, bytes: compressedBytes, etag: etagOf(compressedBytes) }
    : encodeIdentity(bytes);
}

function compress(bytes: Buffer, coding: Coding): Buffer {
  switch (coding) {
    case 'br':
      // With a quality above 5 the texts are hardly smaller, but compression takes many times as long.
      return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    case 'gzip':
      return gzipSync(bytes);
    case 'identity':
      return bytes;
  }
}

function encodeIdentity(bytes: Buffer): EncodedBody {
  return { coding: 'identity', bytes, etag: etagOf(bytes) };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
