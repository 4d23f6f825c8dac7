import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a fetched file, whole or not at all: a program that reads the folder meanwhile finds the old
 * file or the new one. Gives the reason when the file system refuses it.
 */
export function keepFile(path: string, text: string): string | undefined {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text, { flush: true });
    renameSync(temporary, path);
    return undefined;
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary);
    return error instanceof Error ? error.message : String(error);
  }
}

/** A file of JSON, as people read it. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
