import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';

/**
 * Ranges that were fetched after the bundled ones. A folder of the installation has one file for each file of
 * config/data/crawlers with a list, with the same name. `guard crawlers refresh` writes them.
 */

const FetchedSource = z.strictObject({
  url: z.string().min(1),
  /** The ETag of the server for this version of the list. It is used in conditional requests. */
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  v4: z.array(z.string()),
  v6: z.array(z.string()),
});
export type FetchedSource = Readonly<z.infer<typeof FetchedSource>>;

export const RefreshedRanges = z.strictObject({
  /** When the operator last confirmed the list. */
  fetched_at: z.iso.datetime(),
  sources: z.array(FetchedSource).min(1),
});
export type RefreshedRanges = Readonly<z.infer<typeof RefreshedRanges>>;

/**
 * The refreshed ranges of one list. Undefined when the folder has no such file. Throws an Error that names the file
 * when it has another format.
 */
export function readRefreshedRanges(folder: string, file: string): RefreshedRanges | undefined {
  const path = join(folder, `${file}.json`);
  if (!existsSync(path)) return undefined;
  try {
    return RefreshedRanges.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`not a file of refreshed crawler ranges: ${path}`, { cause });
  }
}

/**
 * When the newest list of the folder was fetched, in milliseconds since the epoch. Undefined without lists. Throws
 * like {@link readRefreshedRanges}.
 */
export function newestRefreshIn(folder: string): number | undefined {
  if (!existsSync(folder)) return undefined;
  const times = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRefreshedRanges(folder, basename(name, '.json'))?.fetched_at ?? [])
    .map((time) => Date.parse(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
