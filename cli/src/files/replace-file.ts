import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileFault } from '../terminal/faults.ts';

/** How long an edit waits for another edit (`WAIT_MS`), and the time between two checks. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 25;

export type Change<T> =
  | { readonly kind: 'write'; readonly text: string; readonly result: T }
  | { readonly kind: 'leave'; readonly result: T };

/**
 * Replaces the content of a file with the result of `change` in one step. Keeps the mode and the owner of the file, and
 * follows links. Two edits wait for each other with a lock file beside the file. If an editor saves the file during an
 * edit, the edit starts again. Does not throw when the file system reports an error. When the result is a text, it is
 * the reason why nothing was written, without a full stop.
 */
export async function replaceFile<T>(
  file: string,
  change: (text: string) => Change<T>,
): Promise<{ readonly result: T } | string> {
  try {
    const target = realpathSync(file);
    // Root is able to write a read-only file, but the command should not do it.
    if ((statSync(target).mode & 0o222) === 0) return `${file} is read-only`;
    // The folder must be writable, because the lock and the new file are created in it.
    accessSync(dirname(target), constants.W_OK);
    const unlock = await lock(`${target}.lock`);
    if (unlock === undefined) {
      return `${target}.lock is there: another edit is under way, or was cut off; remove it`;
    }
    try {
      return replaceText(target, change);
    } finally {
      unlock();
    }
  } catch (error) {
    return `${pathOf(error) ?? file}: ${fileFault(error)}`;
  }
}

function replaceText<T>(
  target: string,
  change: (text: string) => Change<T>,
): { readonly result: T } {
  for (;;) {
    const oldText = readFileSync(target, 'utf8');
    const outcome = change(oldText);
    if (outcome.kind === 'leave') return { result: outcome.result };
    const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeTemporary(temporary, target, outcome.text);
      // The content is compared, because an editor ignores the lock.
      if (readFileSync(target, 'utf8') !== oldText) continue;
      renameSync(temporary, target);
      return { result: outcome.result };
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function writeTemporary(temporary: string, target: string, text: string): void {
  const { mode, uid, gid } = statSync(target);
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    const createdFile = fstatSync(handle);
    // This uses the handle and not the name: when the command runs as root, the owner of the folder could replace the
    // file with a link.
    if (createdFile.uid !== uid || createdFile.gid !== gid) fchownSync(handle, uid, gid);
    fchmodSync(handle, mode & 0o7777);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Takes the lock. Undefined when another process kept the lock for the whole waiting time. */
async function lock(path: string): Promise<(() => void) | undefined> {
  const deadlineMs = Date.now() + WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      const isHeld = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isHeld) throw error;
      if (Date.now() > deadlineMs) return undefined;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : undefined;
}
