import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 1024 ** 3;

/**
 * Reads a body of any type without keeping it. Returns its length in bytes and its SHA-256, or `too_large` above 1 GiB.
 */
export async function measureUpload(
  request: IncomingMessage,
): Promise<{ readonly bytes: number; readonly sha256: string } | 'too_large'> {
  const hash = createHash('sha256');
  let bytes = 0;
  // The chunks are buffers, because no encoding was set.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return 'too_large';
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}
