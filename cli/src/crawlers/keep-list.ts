import type { FetchedKeys } from '@guard/config/catalogue/agent-keys';
import type { RefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes one fetched list, whole or not at all: a program that reads the folder meanwhile finds the old
 * file or the new one. Throws the error of the file system.
 */
export function keepList(folder: string, file: string, list: RefreshedRanges | FetchedKeys): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${file}.json`);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(list, undefined, 2)}\n`, { flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
