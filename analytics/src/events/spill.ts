import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@guard/config/contract/ports';
import { UNFINISHED, writeWhole } from '../base/write-whole.ts';
import type { Batch } from './batch.ts';

type Saved = 'saved' | 'failed' | 'late';

/**
 * Batches on disk. While a batch is in memory too, its file is there for the case that the process is
 * killed; when memory is full, or the process ends, the file is what is left of it.
 */
export interface Spill {
  /**
   * Appends what a batch has more than before. It stays the caller's, and `next` does not hand it out.
   * `late`: a slow disk had no time for it. Resolves when its bytes are read no more.
   */
  save(batch: Batch): Promise<Saved>;
  /** Takes a batch over. How many of its rows are on disk, the first ones; the rest is the caller's. */
  put(batch: Batch): Promise<number>;
  /** The oldest batch that was taken over; it stays on disk until `remove`. */
  next(): Promise<Batch | undefined>;
  /** By token, so that what waits for a slow disk holds no rows. Resolves when all asked for before is done. */
  remove(token: string): Promise<void>;
  /** Of batches that were taken over. */
  rows(): number;
}

interface SpillOptions {
  readonly directory: string;
  /** Most bytes of all files together. A batch that does not fit is refused. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Told of rows whose file another program cut or removed. */
  readonly lost: (rows: number) => void;
}

interface SpilledFile {
  /** Age and number: what the name begins with. */
  readonly stem: string;
  readonly name: string;
  readonly token: string;
  readonly rows: number;
  /** That are whole. What an append left unfinished comes behind them. */
  readonly bytes: number;
  /** Of the batch that are in it. */
  readonly parts: number;
  /** The batch is in memory, too. */
  readonly held: boolean;
}

/**
 * `<milliseconds>-<counter>-<rows>-<bytes>-<token>.native`: sorted by name is sorted by age. A file gets its
 * new name when what was appended is there.
 */
const FILE_NAME = /^(\d{13}-\d{6})-(\d{1,9})-(\d{1,10})-([0-9a-f-]{36})\.native$/;
const MAX_FILES = 4096;
/** With more than this waiting for a slow disk, nothing more is saved. */
const MAX_WAITING = 3;

const NOTHING = { bytesWritten: 0 };
const toNothing = (): undefined => undefined;

/**
 * Opens the spill folder and finds what an earlier process left there. Files hold visitors'
 * addresses, so only their owner may read them. Rejects when the folder cannot be used.
 */
export async function openSpill(options: SpillOptions): Promise<Spill> {
  const { directory, maxBytes, clock, lost } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = await findFiles(directory);
  let counter = 0;
  /** Tokens of what is under way and waits: at most a removal for each file, beside what is written. */
  const waiting: string[] = [];
  let last = Promise.resolve();

  /** One after the other, so that what belongs to one batch keeps its order. */
  function inOrder<T>(token: string, work: () => Promise<T>): Promise<T> {
    waiting.push(token);
    const done = last.then(work).finally(() => waiting.shift());
    last = done.then(toNothing, toNothing);
    return done;
  }

  function indexOf({ token }: Pick<Batch, 'token'>): number {
    return files.findIndex((file) => file.token === token);
  }

  function newStem(): string {
    counter = (counter + 1) % 1_000_000;
    return `${String(clock()).padStart(13, '0')}-${String(counter).padStart(6, '0')}`;
  }

  function forget(file: SpilledFile): void {
    const at = indexOf(file);
    if (at >= 0) files.splice(at, 1);
  }

  /** What was there before stays when it fails. */
  async function write({ token, rows, bytes, parts }: Batch, held: boolean): Promise<void> {
    const at = indexOf({ token });
    const before = files[at];
    const used = files.reduce((sum, file) => sum + file.bytes, bytes - (before?.bytes ?? 0));
    if (used > maxBytes || (before === undefined && files.length >= MAX_FILES)) return;
    const stem = before?.stem ?? newStem();
    const name = `${stem}-${rows}-${bytes}-${token}.native`;
    const path = join(directory, name);
    // A batch that is in memory too has to outlive only the process, and a write without a sync does.
    if (before === undefined) await writeWhole(path, parts, !held);
    else await append(before, join(directory, before.name), path, parts, !held);
    const file = { stem, name, token, rows, bytes, parts: parts.length, held };
    if (before === undefined) files.push(file);
    else files[at] = file;
  }

  return {
    async save(batch) {
      if (waiting.length > MAX_WAITING) return 'late';
      return inOrder(batch.token, async () => {
        await write(batch, true).catch(() => undefined);
        return files[indexOf(batch)]?.rows === batch.rows ? 'saved' : 'failed';
      });
    },

    put: (batch) =>
      inOrder(batch.token, async () => {
        await write(batch, false).catch(() => undefined);
        const at = indexOf(batch);
        const file = files[at];
        if (file === undefined) return 0;
        files[at] = { ...file, held: false };
        return file.rows;
      }),

    async next() {
      for (;;) {
        const file = files.find(({ held }) => !held);
        if (file === undefined) return undefined;
        const { token, rows, bytes } = file;
        const body = await readFile(join(directory, file.name)).catch(() => undefined);
        if (body !== undefined && body.length >= bytes && bytes > 0) {
          return { token, rows, bytes, parts: [body.subarray(0, bytes)] };
        }
        forget(file);
        lost(rows);
      }
    },

    remove(token) {
      if (indexOf({ token }) < 0 && !waiting.includes(token)) return last;
      return inOrder(token, async () => {
        const file = files[indexOf({ token })];
        if (file === undefined) return;
        forget(file);
        await removeFile(directory, file.name);
      });
    },

    rows: () => files.reduce((sum, file) => sum + (file.held ? 0 : file.rows), 0),
  };
}

async function findFiles(directory: string): Promise<SpilledFile[]> {
  const files: SpilledFile[] = [];
  for (const name of (await readdir(directory)).sort()) {
    if (name.endsWith(UNFINISHED)) await removeFile(directory, name);
    const [, stem = '', rows, bytes, token] = FILE_NAME.exec(name) ?? [];
    if (token === undefined) continue;
    const counts = { rows: Number(rows), bytes: Number(bytes), parts: 1 };
    files.push({ stem, name, token, ...counts, held: false });
  }
  return files;
}

async function removeFile(directory: string, name: string): Promise<void> {
  await unlink(join(directory, name)).catch(() => undefined);
}

/** Adds the parts that are not in a file yet, over what an earlier attempt may have left, and renames it. */
async function append(
  before: SpilledFile,
  path: string,
  newPath: string,
  parts: readonly Buffer[],
  synced: boolean,
): Promise<void> {
  const added = parts.slice(before.parts);
  const file = await open(path, 'r+');
  try {
    const { bytesWritten } = added.length === 0 ? NOTHING : await file.writev(added, before.bytes);
    // A disk that becomes full takes a part of it.
    if (bytesWritten !== lengthOf(added)) throw new Error('not all was written');
    if (synced) await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, newPath);
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
