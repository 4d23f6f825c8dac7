import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants } from 'node:os';

/** Where an export goes. All of it rejects for what the file system refuses. */
export interface ExportOutput {
  /** Resolves when more can be taken. */
  write(bytes: Buffer): Promise<void>;
  /** All is written. A file has its name from now on. */
  finish(): Promise<void>;
  /** Something is missing: a file is removed. */
  abandon(): Promise<void>;
}

/** Signals at which a file that is not finished is removed. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A file that this user alone can read. It has another name until it is whole, so a part of an export never looks
 * complete. Without `force` it takes the place of no other file, even of one that appears meanwhile. What is no
 * plain file is never replaced: `--out /dev/null --force` of root would take the device away from all programs.
 */
export async function openFile(path: string, force: boolean): Promise<ExportOutput> {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) {
    throw new Error(`${path} is a link, a folder or a device; choose the name of a file`);
  }
  if (!force && there !== undefined) throw new Error(alreadyThere(path));
  const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
  const file: FileHandle = await open(temporary, 'wx', 0o600);
  const leave = (signal: NodeJS.Signals): void => {
    rmSync(temporary, { force: true });
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDS) process.once(signal, leave);
  const close = async (): Promise<void> => {
    for (const signal of ENDS) process.off(signal, leave);
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
        else link(temporary, path);
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

/** A rename would replace a file that has come meanwhile; some file systems have no links. */
function link(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isThere || existsSync(path)) throw new Error(alreadyThere(path), { cause: error });
    renameSync(temporary, path);
  }
}

function alreadyThere(path: string): string {
  return `${path} is there already; choose another name, or replace it with --force`;
}

/** Standard output. A reader that leaves early ends the export. */
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
