import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants } from 'node:os';

/** The destination of an export. All functions reject when the file system reports an error. */
export interface ExportOutput {
  /** Writes bytes. Resolves when more bytes can be written. */
  write(bytes: Buffer): Promise<void>;
  /** Call it when all bytes are written. A file then gets its final name. */
  finish(): Promise<void>;
  /** Call it when the export is incomplete. It removes the file. */
  abandon(): Promise<void>;
}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A file that only this user can read. The file has another name until it is complete, so an incomplete export never
 * looks complete. Without `force` it never replaces a file, not even a file that appears during the export. With
 * `force` only regular files are replaced: otherwise root could remove the device for all programs with `--out
 * /dev/null --force`.
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

/**
 * Gives the file its final name. A link does not replace a file that appeared during the export, but a rename would. A
 * rename is used only on file systems without links.
 */
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

/** Writes an export to standard output. When the reader closes it early, the export ends. */
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
