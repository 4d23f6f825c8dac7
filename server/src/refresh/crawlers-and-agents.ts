import { directoryUrl, readFetchedKeys } from '@guard/config/settings/keys/agent-keys';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { newestRefreshIn } from '@guard/config/catalogue/refreshed-ranges';
import type { Clock } from '@guard/config/contract/ports';
import { crawlerRangesFolder } from '@guard/config/settings/derived/data-places';
import type { Settings } from '@guard/config/settings/schema';
import type { AgentDirectory } from '@guard/config/settings/sections/web-bot-auth';
import type { FetchTerms } from './fetch-report.ts';
import { type FetchOutcome, oldCopyStays, type PublishedData } from './keep-fresh.ts';
import { refreshCrawlers } from './refresh-crawlers.ts';
import { refreshDirectory } from './refresh-directory.ts';

/**
 * The longest random delay of the first fetch. It keeps instances that start together from asking the operators at the
 * same time. Half an hour with old lists does no harm.
 */
const SPREAD_MS = 30 * 60_000;
const TERMS: FetchTerms = { timeoutMs: 15_000, mirrorOf: undefined };

/** The address lists and keys of crawlers and agents that the settings allow Guard to fetch. */
export function publishedByCrawlers(settings: Settings, clock: Clock): PublishedData[] {
  const { refresh: everyMs } = settings.crawlers;
  if (everyMs === 'off') return [];
  const ranges = crawlerRangesFolder(settings);
  const { directories = [], fetched_keys: keys } = settings.web_bot_auth ?? {};
  return [
    ...(ranges === undefined ? [] : [publishedRanges(ranges, everyMs, clock)]),
    ...(keys === undefined
      ? []
      : directories.map((directory) => publishedKeys(directory, keys, everyMs, clock))),
  ];
}

function publishedRanges(folder: string, everyMs: number, clock: Clock): PublishedData {
  const refreshable = () =>
    CrawlerCatalogue.load(undefined, folder).lists.filter((list) => list.refreshUrls.length > 0);
  return {
    key: `crawlers ${folder}`,
    name: 'addresses of crawlers',
    everyMs,
    spreadMs: SPREAD_MS,
    // The newest list decides. Otherwise each start would fetch all lists while a single operator is unreachable.
    keptAt: () => newestRefreshIn(folder),
    async fetch(): Promise<FetchOutcome> {
      const options = { ...TERMS, clock, acceptDrop: false };
      const reports = await refreshCrawlers(refreshable(), folder, options);
      const failedReports = reports.filter(({ reason }) => reason !== '');
      const [firstFailure] = failedReports;
      if (failedReports.length === reports.length)
        return oldCopyStays(firstFailure?.reason ?? 'no list can be fetched');
      const currentCount = reports.length - failedReports.length;
      const filesWithout = failedReports.map(({ file }) => file).join(' ');
      const what = { current: currentCount, of: reports.length, without: filesWithout };
      return { kind: 'current', what };
    },
  };
}

function publishedKeys(
  directory: AgentDirectory,
  folder: string,
  everyMs: number,
  clock: Clock,
): PublishedData {
  return {
    key: `agent ${directory.name} ${directory.url} ${folder}`,
    name: directoryUrl(directory),
    everyMs,
    spreadMs: SPREAD_MS,
    keptAt() {
      const fetchedKeys = readFetchedKeys(folder, directory);
      return fetchedKeys && Date.parse(fetchedKeys.fetched_at);
    },
    async fetch() {
      const report = await refreshDirectory(directory, { ...TERMS, folder, clock });
      if (report.reason !== '') return oldCopyStays(report.reason);
      return { kind: 'current', what: { keys: report.keys } };
    },
  };
}
