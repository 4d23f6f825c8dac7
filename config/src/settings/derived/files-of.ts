import type { FetchedList } from '../lists/list-copy.ts';
import type { Settings } from '../schema.ts';
import { crawlerRangesFolder } from './data-places.ts';
import { fetchedDatabasesOf } from './fetched-databases.ts';

/** The files and folders that settings are read from, each once. `named` are those whose paths are in the settings. */
export function filesOf(
  settings: Settings | undefined,
  named: readonly string[],
  fetched: readonly FetchedList[],
): readonly string[] {
  const ranges = settings && crawlerRangesFolder(settings);
  const databases = settings ? fetchedDatabasesOf(settings) : [];
  return [
    ...new Set([
      ...named,
      ...[...fetched, ...databases].map(({ copy }) => copy),
      ...(ranges === undefined ? [] : [ranges]),
    ]),
  ];
}
