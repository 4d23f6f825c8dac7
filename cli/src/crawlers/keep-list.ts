import type { FetchedKeys } from '@guard/config/settings/agent-keys';
import type { RefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../terminal/faults.ts';

/**
 * Writes one fetched list, whole or not at all: a program that reads the folder meanwhile finds the old
 * file or the new one. Gives the reason when the file system refuses it.
 */
export function keepList(
  folder: string,
  file: string,
  list: RefreshedRanges | FetchedKeys,
): string | undefined {
  const path = join(folder, `${file}.json`);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(list, undefined, 2)}\n`, { flush: true });
    renameSync(temporary, path);
    return undefined;
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary);
    return messageOf(error);
  }
}
