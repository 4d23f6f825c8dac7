import type { FetchedList } from '../lists/list-copy.ts';
import type { Settings } from '../schema.ts';
import { crawlerRangesFolder } from './data-places.ts';
import { fetchedDatabasesOf } from './fetched-databases.ts';

/**
 * All files and folders that settings are read from, each once. `namedFiles` are the files whose paths are in the
 * settings.
 */
export function filesOf(
  settings: Settings | undefined,
  namedFiles: readonly string[],
  fetchedLists: readonly FetchedList[],
): readonly string[] {
  const ranges = settings && crawlerRangesFolder(settings);
  const databases = settings ? fetchedDatabasesOf(settings) : [];
  return [
    ...new Set([
      ...namedFiles,
      ...[...fetchedLists, ...databases].map(({ copyPath }) => copyPath),
      ...(ranges === undefined ? [] : [ranges]),
    ]),
  ];
}
