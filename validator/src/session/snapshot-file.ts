import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline as pipe } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** The first line of a snapshot. The number is the version of the format. */
const MAGIC = Buffer.from('guard-store 1\n');
const DIGEST_BYTES = 32;
/**
 * Limit for the file, in bytes. A snapshot of Guard is never larger, because its content is bounded
 * (snapshot-content.ts) and compressed.
 */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** The result of reading the file at a path. */
type SnapshotFile =
  | { readonly kind: 'none' }
  /** The file is incomplete, of another version, or no snapshot. `reason` is a word for the log. */
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'whole'; readonly content: AsyncIterable<Buffer> };

/**
 * Replaces the file atomically: after a crash there is either the whole old file or the whole new file. Rejects after
 * an error of the disk.
 */
export async function writeSnapshotFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  try {
    await writeSealed(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    // The half-written file is removed, because other programs need its space on a full disk. An error of this step is
    // ignored, so that the first error is reported.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeSealed(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  const digest = createHash('sha256');
  // The stream closes the file, even after an error.
  const target = file.createWriteStream({ flush: true });
  await pipeline(content, createGzip({ level: 1 }), (parts) => withDigest(parts, digest), target);
}

async function* withDigest(
  parts: AsyncIterable<Uint8Array>,
  digest: Hash,
): AsyncGenerator<Uint8Array> {
  digest.update(MAGIC);
  yield MAGIC;
  for await (const part of parts) {
    digest.update(part);
    yield part;
  }
  yield digest.digest();
}

/** Writes the entries of the folder to the disk. Otherwise a power failure could undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Checks the whole file before it returns any content. Rejects after an error of the disk. */
export async function readSnapshotFile(path: string): Promise<SnapshotFile> {
  const ends = await readEnds(path);
  if (ends === undefined) return { kind: 'none' };
  const { head, tail, sizeBytes } = ends;
  if (sizeBytes > MAX_FILE_BYTES) return { kind: 'damaged', reason: 'too_large' };
  if (!head.equals(MAGIC)) return { kind: 'damaged', reason: 'other_form' };
  // A file that is shorter than its first line and its checksum gets a wrong checksum here.
  const end = sizeBytes - DIGEST_BYTES - 1;
  if (end < 0 || !(await digestOf(path, end)).equals(tail)) {
    return { kind: 'damaged', reason: 'checksum' };
  }
  const content = createGunzip();
  // Errors of the source go to the reader of `content`, so nothing is done with them here.
  pipe(createReadStream(path, { start: MAGIC.length, end }), content, () => undefined);
  return { kind: 'whole', content };
}

/** SHA-256 of a file from its start to the byte `end`, with this byte. */
async function digestOf(path: string, end: number): Promise<Buffer> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { end }), async (parts) => {
    for await (const part of parts as AsyncIterable<Buffer>) digest.update(part); // Bytes, because no encoding is set.
  });
  return digest.digest();
}

async function readEnds(path: string) {
  await using file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  const head = Buffer.alloc(MAGIC.length);
  await file.read(head, 0, head.length, 0);
  const tail = Buffer.alloc(DIGEST_BYTES);
  await file.read(tail, 0, tail.length, Math.max(0, size - DIGEST_BYTES));
  return { head, tail, sizeBytes: size };
}
