import type { Clock } from '@guard/config/contract/ports';
import {
  databaseFilesOf,
  fetchedDatabasesOf,
} from '@guard/config/settings/derived/fetched-databases';
import { shownUrl } from '@guard/config/settings/lists/list-copy';
import type { Settings } from '@guard/config/settings/schema';
import type { PublishedData } from './keep-fresh.ts';
import { originIn, refreshDatabase } from './refresh-database.ts';

/**
 * The longest random delay of the first fetch, so that instances that start together do not fetch at the same time.
 * Until then the bundled database is in use.
 */
const SPREAD_MS = 30 * 60_000;
/** The longest delay for a URL in the settings. It is shorter, because a person waits for the result. */
const NAMED_SPREAD_MS = 3_000;

/** The databases of countries and autonomous systems. Their copies are files of the settings. */
export function publishedDatabases(settings: Settings, clock: Clock): PublishedData[] {
  return fetchedDatabasesOf(settings).flatMap((database): PublishedData[] => {
    const { kind, url, every, copyPath, isNamed } = database;
    if (every === 'off') return [];
    return [
      {
        key: copyPath,
        name: `${kind} ${shownUrl(url)}`,
        everyMs: every,
        spreadMs: isNamed ? NAMED_SPREAD_MS : SPREAD_MS,
        keptAt() {
          const origin = originIn(database);
          return origin && Date.parse(origin.fetched_at);
        },
        fetch: () => refreshDatabase(database, databaseFilesOf(settings)[kind], clock),
      },
    ];
  });
}
