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

/** How long an edit waits for another one, and how often it looks. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 25;

export type Change<T> =
  | { readonly kind: 'write'; readonly text: string; readonly result: T }
  | { readonly kind: 'leave'; readonly result: T };

export type Replaced<T> =
  | { readonly kind: 'done'; readonly result: T }
  /** Nothing was written; `reason` is a sentence without its end. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Changes a file from what it holds to what `change` makes of it: whole, in one step, with its mode and
 * owner, and where a link points to. Two edits wait for one another by a lock file beside it; one that
 * an editor saved meanwhile is begun again. Does not throw for what the file system refuses.
 */
export async function replaceFile<T>(
  file: string,
  change: (text: string) => Change<T>,
): Promise<Replaced<T>> {
  try {
    const target = realpathSync(file);
    // Root can write every file, but a read-only file is not meant to be written.
    if ((statSync(target).mode & 0o222) === 0) return failed(`${file} is read-only`);
    // The lock and the new file are made in the folder of the old one.
    accessSync(dirname(target), constants.W_OK);
    const unlock = await lock(`${target}.lock`);
    if (unlock === undefined) {
      return failed(
        `${target}.lock is there: another edit is under way, or was cut off; remove it`,
      );
    }
    try {
      return attempt(target, change);
    } finally {
      unlock();
    }
  } catch (error) {
    return failed(`${pathOf(error) ?? file}: ${fileFault(error)}`);
  }
}

function attempt<T>(target: string, change: (text: string) => Change<T>): Replaced<T> {
  for (;;) {
    const before = readFileSync(target, 'utf8');
    const changed = change(before);
    if (changed.kind === 'leave') return { kind: 'done', result: changed.result };
    const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeBeside(temporary, target, changed.text);
      // An editor does not know our lock.
      if (readFileSync(target, 'utf8') !== before) continue;
      renameSync(temporary, target);
      return { kind: 'done', result: changed.result };
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function writeBeside(temporary: string, target: string, text: string): void {
  const { mode, uid, gid } = statSync(target);
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    const made = fstatSync(handle);
    // By the handle: where this is root, the owner of the folder could put a link in the place of the name.
    if (made.uid !== uid || made.gid !== gid) fchownSync(handle, uid, gid);
    fchmodSync(handle, mode & 0o7777);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Undefined when another process has held the lock all the time. */
async function lock(path: string): Promise<(() => void) | undefined> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      const isHeld = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isHeld) throw error;
      if (Date.now() > until) return undefined;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : undefined;
}

function failed(reason: string): { readonly kind: 'failed'; readonly reason: string } {
  return { kind: 'failed', reason };
}
