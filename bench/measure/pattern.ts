import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/**
 * The length of the pattern is a prime number. No size of a buffer is a multiple of it, so a missing or repeated part
 * changes the digest.
 */
const PERIOD = 65_521;
const pattern = Buffer.from(
  Array.from({ length: PERIOD }, (_, index) => (index * 31 + (index >> 8)) & 255),
);

/** The first `bytes` bytes of the pattern. */
export function patternStream(bytes: number): Readable {
  function* chunks() {
    for (let remaining = bytes; remaining > 0; remaining -= PERIOD) {
      yield remaining < PERIOD ? pattern.subarray(0, remaining) : pattern;
    }
  }
  return Readable.from(chunks(), { objectMode: false, highWaterMark: PERIOD });
}

export interface Digest {
  readonly bytes: number;
  /** The SHA-256 as hexadecimal text. */
  readonly hash: string;
}

/** Reads a stream to its end. Rejects when the stream ends too early. */
export async function digest(stream: AsyncIterable<Buffer>): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, hash: hash.digest('hex') };
}
