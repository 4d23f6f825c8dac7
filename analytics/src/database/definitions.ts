import { access, mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeWhole } from '../base/write-whole.ts';
import { DATABASE, LOCAL_TABLE, TABLE } from './accounts.ts';

/**
 * Copies of the files in which the embedded engine keeps the definitions of its tables. Without its
 * definition a table cannot be read, and the engine does not start. A full disk, or a machine that loses
 * power, can leave such a file empty or cut; the rows are in other files, and whole.
 */

const TABLES = [LOCAL_TABLE, TABLE];
const UUID = /^ATTACH TABLE _ UUID '(([0-9a-f]{3})[0-9a-f-]{33})'/;

/** Puts the copies in the place of definitions that are empty or cut. The tables that had it done. */
export async function restoreDefinitions(path: string): Promise<string[]> {
  const restored: string[] = [];
  for (const table of TABLES) {
    const { definition, copy } = filesOf(path, table);
    const [present, kept] = await Promise.all([read(definition), read(copy)]);
    if (present === undefined || kept === undefined || !isCut(present, kept)) continue;
    if (!(await hasData(path, kept))) continue;
    await writeWhole(definition, kept);
    restored.push(table);
  }
  return restored;
}

/** Copies what differs from its copy. To be called when the engine has the definitions it should have. */
export async function keepDefinitions(path: string): Promise<void> {
  await mkdir(resolve(path, 'definitions'), { recursive: true, mode: 0o700 });
  for (const table of TABLES) {
    const { definition, copy } = filesOf(path, table);
    const [present, kept] = await Promise.all([read(definition), read(copy)]);
    if (present === undefined || present === kept || !UUID.test(present)) continue;
    await writeWhole(copy, present);
  }
}

function filesOf(path: string, table: string): { definition: string; copy: string } {
  const name = `${table}.sql`;
  return {
    definition: resolve(path, 'engine', 'metadata', DATABASE, name),
    copy: resolve(path, 'definitions', name),
  };
}

/** Undefined for a file that is not there. */
function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** A definition ends with its line; blocks that were never written are zeros. */
function isCut(present: string, copy: string): boolean {
  return !present.endsWith('\n') || (present !== copy && copy.startsWith(present));
}

/** Whether the data that the copy belongs to is there: the folder may be another one by now. */
async function hasData(path: string, copy: string): Promise<boolean> {
  const [, uuid = '', first = ''] = UUID.exec(copy) ?? [];
  return access(resolve(path, 'engine', 'store', first, uuid)).then(
    () => uuid !== '',
    () => false,
  );
}
