import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Names of files whose write is not finished. */
const TEMPORARY = /\.[0-9a-f]{12}\.tmp$/;
/** A temporary file of this age is left over: no write takes an hour. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Writes a file, whole or not at all: a program that reads the folder meanwhile finds the old file or the new one. Gives
 * the reason when the file system refuses it. Removes what a kill left of earlier writes in the folder.
 *
 * @param mode rights of the file, less those that the umask takes.
 */
export async function keepFile(
  path: string,
  content: string | Buffer,
  mode = 0o666,
): Promise<string | undefined> {
  // In containers that share a folder, all have process id 1.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, content, { flag: 'wx', flush: true, mode });
    await removeAbandoned(temporary).catch(() => undefined);
    await rename(temporary, path);
    return undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return error instanceof Error ? error.message : String(error);
  }
}

/** By the clock of the file system, which the new file shows. Another process may write beside this one. */
async function removeAbandoned(beside: string): Promise<void> {
  const folder = dirname(beside);
  const { mtimeMs: now } = await stat(beside);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isAbandoned =
      TEMPORARY.test(name) && (await stat(path)).mtimeMs < now - ABANDONED_AFTER_MS;
    if (isAbandoned) await rm(path, { force: true });
  }
}

/** A file of JSON, as people read it. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
