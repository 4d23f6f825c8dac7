import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@guard/config/contract/ports';
import { UNFINISHED_SUFFIX, writeWhole } from '../base/write-whole.ts';
import type { Batch } from './batch.ts';

type SaveResult = 'saved' | 'failed' | 'late';

/** Batches on disk. A batch can also be in memory. Then its file is a backup in case the process is killed. */
export interface Spill {
  /**
   * Appends the new parts of a batch. The batch stays in the caller's memory, so `next` does not return it. `late`
   * means that the disk is too slow for one more save. Resolves when the bytes of the batch are no longer read.
   */
  save(batch: Batch): Promise<SaveResult>;
  /**
   * Takes over a batch. Resolves with the number of its first rows that are on disk. The caller keeps the other rows.
   */
  put(batch: Batch): Promise<number>;
  /** The oldest batch that was taken over. It stays on disk until `remove`. */
  next(): Promise<Batch | undefined>;
  /**
   * Removes a batch. The parameter is only the token, so that a waiting removal keeps no rows in memory. Resolves after
   * all earlier work.
   */
  remove(token: string): Promise<void>;
  /** Rows of batches that were taken over. */
  rows(): number;
}

interface SpillOptions {
  readonly directory: string;
  /** Maximum number of bytes of all files together. A batch that does not fit is refused. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Called with the number of rows of a file that another program cut or removed. */
  readonly onLost: (rows: number) => void;
}

interface SpilledFile {
  /** The beginning of the file's name: its time and a number. */
  readonly stem: string;
  readonly name: string;
  readonly token: string;
  readonly rows: number;
  /** Bytes of complete parts. An interrupted append can leave further bytes at the end of the file. */
  readonly bytes: number;
  /** Number of the batch's parts that are in the file. */
  readonly parts: number;
  /** The batch is also in memory. */
  readonly isInMemory: boolean;
}

/**
 * `<ms>-<counter>-<rows>-<bytes>-<token>.native`. The order of the names is the order of age. A file is renamed after
 * each append.
 */
const FILE_NAME = /^(\d{13}-\d{6})-(\d{1,9})-(\d{1,10})-([0-9a-f-]{36})\.native$/;
const MAX_FILES = 4096;
/** When more work than this waits for a slow disk, saves are skipped. */
const MAX_WAITING = 3;

const NOTHING_WRITTEN = { bytesWritten: 0 };
const toNothing = (): undefined => undefined;

/** Opens the private spill folder and finds the files of an earlier process. Rejects for an unusable folder. */
export async function openSpill(options: SpillOptions): Promise<Spill> {
  const { directory, maxBytes, clock, onLost } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = await findFiles(directory);
  let counter = 0;
  /** Tokens of the batches whose work runs or waits. The work is writes, and at most one removal for each file. */
  const queuedTokens: string[] = [];
  let lastWork = Promise.resolve();

  /** Runs work one after the other, so that the steps for one batch keep their order. */
  function runInOrder<T>(token: string, work: () => Promise<T>): Promise<T> {
    queuedTokens.push(token);
    const result = lastWork.then(work).finally(() => queuedTokens.shift());
    lastWork = result.then(toNothing, toNothing);
    return result;
  }

  function indexOf({ token }: Pick<Batch, 'token'>): number {
    return files.findIndex((file) => file.token === token);
  }

  function newStem(): string {
    counter = (counter + 1) % 1_000_000;
    return `${String(clock()).padStart(13, '0')}-${String(counter).padStart(6, '0')}`;
  }

  function removeEntry(file: SpilledFile): void {
    const at = indexOf(file);
    if (at >= 0) files.splice(at, 1);
  }

  /** Writes the file of a batch. If the write fails, the earlier file stays. */
  async function write({ token, rows, bytes, parts }: Batch, isInMemory: boolean): Promise<void> {
    const at = indexOf({ token });
    const oldFile = files[at];
    const usedBytes = files.reduce((sum, file) => sum + file.bytes, bytes - (oldFile?.bytes ?? 0));
    if (usedBytes > maxBytes || (oldFile === undefined && files.length >= MAX_FILES)) return;
    const stem = oldFile?.stem ?? newStem();
    const name = `${stem}-${rows}-${bytes}-${token}.native`;
    const path = join(directory, name);
    // The file of a batch in memory has to survive only a kill of the process, so no sync is needed.
    if (oldFile === undefined) await writeWhole(path, parts, !isInMemory);
    else await append(oldFile, join(directory, oldFile.name), path, parts, !isInMemory);
    const file = { stem, name, token, rows, bytes, parts: parts.length, isInMemory };
    if (oldFile === undefined) files.push(file);
    else files[at] = file;
  }

  return {
    async save(batch) {
      if (queuedTokens.length > MAX_WAITING) return 'late';
      return runInOrder(batch.token, async () => {
        await write(batch, true).catch(() => undefined);
        return files[indexOf(batch)]?.rows === batch.rows ? 'saved' : 'failed';
      });
    },

    put: (batch) =>
      runInOrder(batch.token, async () => {
        await write(batch, false).catch(() => undefined);
        const at = indexOf(batch);
        const file = files[at];
        if (file === undefined) return 0;
        files[at] = { ...file, isInMemory: false };
        return file.rows;
      }),

    async next() {
      for (;;) {
        const file = files.find(({ isInMemory }) => !isInMemory);
        if (file === undefined) return undefined;
        const { token, rows, bytes } = file;
        const body = await readFile(join(directory, file.name)).catch(() => undefined);
        if (body !== undefined && body.length >= bytes && bytes > 0) {
          return { token, rows, bytes, parts: [body.subarray(0, bytes)] };
        }
        removeEntry(file);
        onLost(rows);
      }
    },

    remove(token) {
      if (indexOf({ token }) < 0 && !queuedTokens.includes(token)) return lastWork;
      return runInOrder(token, async () => {
        const file = files[indexOf({ token })];
        if (file === undefined) return;
        removeEntry(file);
        await removeFile(directory, file.name);
      });
    },

    rows: () => files.reduce((sum, file) => sum + (file.isInMemory ? 0 : file.rows), 0),
  };
}

async function findFiles(directory: string): Promise<SpilledFile[]> {
  const files: SpilledFile[] = [];
  for (const name of (await readdir(directory)).sort()) {
    if (name.endsWith(UNFINISHED_SUFFIX)) await removeFile(directory, name);
    const [, stem = '', rows, bytes, token] = FILE_NAME.exec(name) ?? [];
    if (token === undefined) continue;
    const counts = { rows: Number(rows), bytes: Number(bytes), parts: 1 };
    files.push({ stem, name, token, ...counts, isInMemory: false });
  }
  return files;
}

async function removeFile(directory: string, name: string): Promise<void> {
  await unlink(join(directory, name)).catch(() => undefined);
}

/**
 * Appends the new parts to the file and renames it. Overwrites bytes that an earlier, failed attempt left at the end.
 */
async function append(
  oldFile: SpilledFile,
  path: string,
  newPath: string,
  parts: readonly Buffer[],
  isSynced: boolean,
): Promise<void> {
  const newParts = parts.slice(oldFile.parts);
  const file = await open(path, 'r+');
  try {
    const { bytesWritten } =
      newParts.length === 0 ? NOTHING_WRITTEN : await file.writev(newParts, oldFile.bytes);
    // When the disk becomes full, it writes only the first bytes.
    if (bytesWritten !== lengthOf(newParts)) throw new Error('only a part was written');
    if (isSynced) await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, newPath);
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
