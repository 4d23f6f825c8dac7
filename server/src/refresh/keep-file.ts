import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a fetched file, whole or not at all: a program that reads the folder meanwhile finds the old
 * file or the new one. Gives the reason when the file system refuses it.
 */
export async function keepFile(
  path: string,
  content: string | Buffer,
): Promise<string | undefined> {
  // In containers that share a folder, all have process id 1.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, content, { flag: 'wx', flush: true });
    await rename(temporary, path);
    return undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return error instanceof Error ? error.message : String(error);
  }
}

/** A file of JSON, as people read it. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
