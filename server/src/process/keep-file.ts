import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const TEMPORARY_NAME = /\.[0-9a-f]{12}\.tmp$/;
/** A temporary file of this age was abandoned, because no write takes an hour. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Writes a file completely or not at all: a reader finds the old file or the new one. Returns the reason when the file
 * system refuses the write. Also removes abandoned files of earlier writes from the folder. The umask can remove
 * permissions from `mode`.
 */
export async function keepFile(
  path: string,
  content: string | Buffer,
  mode = 0o666,
): Promise<string | undefined> {
  // A random name, because in containers with a shared folder every process has the id 1.
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporaryPath, content, { flag: 'wx', flush: true, mode });
    await removeAbandoned(temporaryPath).catch(() => undefined);
    await rename(temporaryPath, path);
    return undefined;
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Removes abandoned files. It compares with the time of the new file, because the file system can have another clock.
 * Another process can write in the same folder.
 */
async function removeAbandoned(newFile: string): Promise<void> {
  const folder = dirname(newFile);
  const { mtimeMs: newFileMs } = await stat(newFile);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isAbandoned =
      TEMPORARY_NAME.test(name) && (await stat(path)).mtimeMs < newFileMs - ABANDONED_AFTER_MS;
    if (isAbandoned) await rm(path, { force: true });
  }
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
