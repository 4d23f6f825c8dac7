import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { publishedUrl } from '../lists/list-setting.ts';
import { RefreshEvery } from '../values/values.ts';

/** The bytes before the metadata of every MMDB file, within its last 128 KiB (MMDB 2.0). */
const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const METADATA_WITHIN_BYTES = 128 * 1024;

/**
 * Why the file at a path is not an MMDB file. Undefined when the file is an MMDB file. Only the end of the file is
 * read, because a commercial database has a hundred megabytes. The catalogue opens the whole file when Guard starts.
 */
function problemOf(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return 'no file there that can be read';
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return 'a folder or device, not a file';
    const length = Math.min(stat.size, METADATA_WITHIN_BYTES);
    const lastBytes = Buffer.alloc(length);
    readSync(file, lastBytes, 0, length, stat.size - length);
    return lastBytes.includes(METADATA_MARKER) ? undefined : 'a file of another form';
  } finally {
    closeSync(file);
  }
}

/** A database file of the user. The loader has made its path absolute. */
const MmdbFile = z.string().superRefine((path, context) => {
  const problem = problemOf(path);
  if (problem === undefined) return;
  const message = `expected a database in MMDB form, relative to this file; there is ${problem}`;
  context.addIssue({ code: 'custom', message });
});

/** A file, or `{ url }`: the URL from which a running Guard fetches the database. */
const Database = z.union([MmdbFile, z.strictObject({ url: publishedUrl('a database') })]);

export const Databases = z.strictObject({
  country: Database.optional(),
  asn: Database.optional(),
  /**
   * How often a running Guard fetches each database for which the user gave no file. fetched-databases.ts has the
   * default.
   */
  refresh: RefreshEvery.optional(),
});
export type Databases = Readonly<z.infer<typeof Databases>>;
