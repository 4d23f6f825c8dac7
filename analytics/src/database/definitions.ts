import { access, mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeWhole } from '../base/write-whole.ts';
import { DATABASE, LOCAL_TABLE, TABLE } from './accounts.ts';

/**
 * Copies of the files with the table definitions of the embedded engine. Without a definition the engine cannot read a
 * table and does not start. A full disk or a power failure can leave a definition empty or incomplete.
 */

const TABLES = [LOCAL_TABLE, TABLE];
const UUID_PATTERN = /^ATTACH TABLE _ UUID '(([0-9a-f]{3})[0-9a-f-]{33})'/;

/** Replaces empty or incomplete definitions by their copies. Returns the names of these tables. */
export async function restoreDefinitions(path: string): Promise<string[]> {
  const restoredTables: string[] = [];
  for (const table of TABLES) {
    const { definition, copy } = filesOf(path, table);
    const [presentText, copyText] = await Promise.all([readText(definition), readText(copy)]);
    if (presentText === undefined || copyText === undefined || !isCut(presentText, copyText))
      continue;
    if (!(await hasData(path, copyText))) continue;
    await writeWhole(definition, copyText);
    restoredTables.push(table);
  }
  return restoredTables;
}

/** Updates the copies that differ. Call this function when the engine's own definitions are right. */
export async function keepDefinitions(path: string): Promise<void> {
  await mkdir(resolve(path, 'definitions'), { recursive: true, mode: 0o700 });
  for (const table of TABLES) {
    const { definition, copy } = filesOf(path, table);
    const [presentText, copyText] = await Promise.all([readText(definition), readText(copy)]);
    if (presentText === undefined || presentText === copyText || !UUID_PATTERN.test(presentText))
      continue;
    await writeWhole(copy, presentText);
  }
}

function filesOf(path: string, table: string): { definition: string; copy: string } {
  const name = `${table}.sql`;
  return {
    definition: resolve(path, 'engine', 'metadata', DATABASE, name),
    copy: resolve(path, 'definitions', name),
  };
}

/** Undefined when the file does not exist. */
function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** A definition ends with a newline. Blocks that were never written are zeros. */
function isCut(presentText: string, copyText: string): boolean {
  return (
    !presentText.endsWith('\n') || (presentText !== copyText && copyText.startsWith(presentText))
  );
}

/** True if the table of the copy has its data. The operator may have put another data folder here. */
async function hasData(path: string, copyText: string): Promise<boolean> {
  const [, uuid = '', storeFolder = ''] = UUID_PATTERN.exec(copyText) ?? [];
  return access(resolve(path, 'engine', 'store', storeFolder, uuid)).then(
    () => uuid !== '',
    () => false,
  );
}
