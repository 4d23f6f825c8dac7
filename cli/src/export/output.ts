import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants } from 'node:os';

/** The destination of an export. All functions reject when the file system refuses. */
export interface ExportOutput {
  /** Resolves when more can be written. */
  write(bytes: Buffer): Promise<void>;
  /** Call it when everything is written: a file gets its final name. */
  finish(): Promise<void>;
  /** Call it when the export is incomplete: removes the file. */
  abandon(): Promise<void>;
}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A file that only this user can read. It has another name until it is complete, so an incomplete export never looks
 * complete. Without `force` it never replaces a file, not even one that appears meanwhile. Only regular files are
 * replaced: otherwise `--out /dev/null --force` of root would remove the device for all programs.
 */
export async function openFile(path: string, force: boolean): Promise<ExportOutput> {
  const existing = lstatSync(path, { throwIfNoEntry: false });
  if (existing?.isFile() === false) {
    throw new Error(`${path} is a link, a folder or a device; choose the name of a file`);
  }
  if (!force && existing !== undefined) throw new Error(takenMessage(path));
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  const file: FileHandle = await open(temporary, 'wx', 0o600);
  const removeAndExit = (signal: NodeJS.Signals): void => {
    rmSync(temporary, { force: true });
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of END_SIGNALS) process.once(signal, removeAndExit);
  const close = async (): Promise<void> => {
    for (const signal of END_SIGNALS) process.off(signal, removeAndExit);
    await file.close();
  };
  return {
    async write(bytes) {
      await file.writeFile(bytes);
    },
    async finish() {
      await file.sync();
      await close();
      try {
        if (force) renameSync(temporary, path);
        else linkOrRename(temporary, path);
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    async abandon() {
      await close();
      rmSync(temporary, { force: true });
    },
  };
}

/** A rename would replace a file that appeared meanwhile. Some file systems have no links. */
function linkOrRename(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isTaken || existsSync(path)) throw new Error(takenMessage(path), { cause: error });
    renameSync(temporary, path);
  }
}

function takenMessage(path: string): string {
  return `${path} is there already; choose another name, or replace it with --force`;
}

/** A reader that closes standard output early ends the export. */
export function standardOutput(): ExportOutput {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error: NodeJS.ErrnoException | null | undefined) => {
          if (!error) resolve();
          else
            reject(error.code === 'EPIPE' ? new Error('the reader of the output has left') : error);
        });
      }),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}
