import { readPublicRanges } from '../net/bogons.ts';
import type { Refusals, WidthLimit } from '../net/bogons.ts';
import { PrefixSet } from '../net/prefix-set.ts';
import type { CrawlerFile } from './crawler-file.ts';
import type { RefreshedRanges } from './refreshed-ranges.ts';

/** No operator crawls from more than this: one /12 or one /19 of IPv6. */
export const CRAWLER_WIDTH_LIMIT: WidthLimit = { v4: 12, v6: 19 };

/** The addresses some crawlers come from, as their operator publishes them. */
export interface CrawlerList {
  /** Name of the file of config/data/crawlers, without its ending. */
  readonly file: string;
  readonly operator: string;
  /** The list is complete: a visitor from outside of it who claims one of its crawlers lies. */
  readonly authoritative: boolean;
  /** The page on which the operator publishes the list. */
  readonly sourceUrl: string;
  /** The list in forms that a program can read, to be joined; empty where there is none. */
  readonly refreshUrls: readonly string[];
  /** When the operator last confirmed the list, in milliseconds since the epoch. */
  readonly asOf: number;
  /** Entries of the list before they are merged. */
  readonly entries: readonly string[];
  readonly ranges: PrefixSet;
  /** Entries that were dropped: no crawler comes from there. */
  readonly refused: Refusals;
}

/**
 * The list of a crawler file; undefined when its operator publishes none. What was refreshed takes
 * the place of what is bundled, unless that is newer.
 */
export function crawlerListOf(
  name: string,
  file: CrawlerFile,
  refreshed: RefreshedRanges | undefined,
): CrawlerList | undefined {
  if (!file.ranges.published) return undefined;
  const { authoritative, source_url, refresh = [], date, v4, v6 } = file.ranges;
  const bundledAt = Date.parse(date);
  const refreshedAt = refreshed === undefined ? 0 : Date.parse(refreshed.fetched_at);
  const isRefreshed = refreshed !== undefined && refreshedAt >= bundledAt;
  const entries = isRefreshed
    ? refreshed.sources.flatMap((source) => [...source.v4, ...source.v6])
    : [...v4, ...v6];
  const { ranges, refused } = readPublicRanges(entries, CRAWLER_WIDTH_LIMIT);
  const set = PrefixSet.fromRanges(ranges);
  return {
    file: name,
    operator: file.operator,
    // An empty list accuses no crawler.
    authoritative: authoritative && set.size > 0,
    sourceUrl: source_url,
    refreshUrls: refresh,
    asOf: isRefreshed ? refreshedAt : bundledAt,
    entries,
    ranges: set,
    refused,
  };
}
