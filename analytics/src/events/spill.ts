import { mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@guard/config/contract/ports';
import { UNFINISHED, writeWhole } from '../write-whole.ts';
import type { Batch, BatchFormat } from './batch.ts';

/** Batches that wait on disk, because memory was full or the process ended. */
export interface Spill {
  /** False when the batch does not fit or cannot be written; it is then still the caller's. */
  put(batch: Batch): Promise<boolean>;
  /** The oldest batch; it stays on disk until `remove`. */
  next(): Promise<Batch | undefined>;
  remove(batch: Batch): Promise<void>;
  rows(): number;
}

interface SpillOptions {
  readonly directory: string;
  /** Of all files together; what does not fit is refused. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Told of rows whose file was cut or removed by somebody else. */
  readonly lost: (rows: number) => void;
}

interface SpilledFile {
  readonly name: string;
  readonly token: string;
  readonly format: BatchFormat;
  readonly rows: number;
  readonly bytes: number;
}

/** What the name of a file ends in. `.rows` are files of versions that knew one format only. */
const ENDINGS: Readonly<Record<BatchFormat, string>> = {
  Native: 'native',
  JSONCompactEachRow: 'rows',
};
/** `<milliseconds>-<counter>-<rows>-<token>.<ending>`: sorted by name is sorted by age. */
const FILE_NAME = /^\d{13}-\d{6}-(\d{1,9})-([0-9a-f-]{36})\.(native|rows)$/;
const MAX_FILES = 4096;

/**
 * Opens the spill folder and finds what an earlier process left there. Files hold visitors'
 * addresses, so only their owner may read them. Rejects when the folder cannot be used.
 */
export async function openSpill(options: SpillOptions): Promise<Spill> {
  const { directory, maxBytes, clock, lost } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = await findFiles(directory);
  let counter = 0;

  function forget(file: SpilledFile): void {
    files.splice(files.indexOf(file), 1);
  }

  return {
    async put(batch) {
      const used = files.reduce((sum, file) => sum + file.bytes, 0);
      if (used + batch.bytes > maxBytes || files.length >= MAX_FILES) return false;
      counter = (counter + 1) % 1_000_000;
      const age = String(clock()).padStart(13, '0');
      const sequence = String(counter).padStart(6, '0');
      const name = `${age}-${sequence}-${batch.rows}-${batch.token}.${ENDINGS[batch.format]}`;
      try {
        await writeWhole(join(directory, name), batch.body);
      } catch {
        return false;
      }
      const { token, format, rows, bytes } = batch;
      files.push({ name, token, format, rows, bytes });
      return true;
    },

    async next() {
      for (let file = files[0]; file !== undefined; file = files[0]) {
        const body = await readFile(join(directory, file.name)).catch(() => undefined);
        if (body?.length === file.bytes) {
          const { token, format, rows, bytes } = file;
          return { token, format, rows, bytes, body };
        }
        forget(file);
        lost(file.rows);
      }
      return undefined;
    },

    async remove({ token }) {
      const file = files.find((candidate) => candidate.token === token);
      if (file === undefined) return;
      forget(file);
      await unlink(join(directory, file.name)).catch(() => undefined);
    },

    rows: () => files.reduce((sum, file) => sum + file.rows, 0),
  };
}

async function findFiles(directory: string): Promise<SpilledFile[]> {
  const files: SpilledFile[] = [];
  for (const name of (await readdir(directory)).sort()) {
    if (name.endsWith(UNFINISHED)) await unlink(join(directory, name)).catch(() => undefined);
    const [, rows, token, ending] = FILE_NAME.exec(name) ?? [];
    if (rows === undefined || token === undefined) continue;
    const format = ending === ENDINGS.Native ? 'Native' : 'JSONCompactEachRow';
    const { size } = await stat(join(directory, name));
    files.push({ name, token, format, rows: Number(rows), bytes: size });
  }
  return files;
}
