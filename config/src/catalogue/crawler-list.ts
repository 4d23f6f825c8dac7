import { readPublicRanges } from '../net/bogons.ts';
import type { Refusals, WidthLimit } from '../net/bogons.ts';
import { PrefixSet } from '../net/prefix-set.ts';
import type { CrawlerFile } from './crawler-file.ts';
import type { RefreshedRanges } from './refreshed-ranges.ts';

/** The widest range that an operator's list may have: an IPv4 /12 or an IPv6 /19. */
export const CRAWLER_WIDTH_LIMIT: WidthLimit = { v4: 12, v6: 19 };

/** The published addresses of some crawlers of one operator. */
export interface CrawlerList {
  /** Name of the file in config/data/crawlers, without its extension. */
  readonly file: string;
  readonly operator: string;
  /**
   * True when the list is complete: then a visitor that claims one of its crawlers from another address is an
   * impersonator.
   */
  readonly authoritative: boolean;
  readonly sourceUrl: string;
  /** The machine-readable parts of the list, to be joined. Empty when there are none. */
  readonly refreshUrls: readonly string[];
  /** When the operator last confirmed the list, in milliseconds since the epoch. */
  readonly asOf: number;
  /** The ranges before they are merged. */
  readonly entries: readonly string[];
  readonly ranges: PrefixSet;
  /** Counts of the dropped entries. */
  readonly refusals: Refusals;
}

/**
 * The list of a crawler file. Undefined when the operator publishes none. The refreshed list replaces the bundled one
 * unless the bundled list is newer.
 */
export function crawlerListOf(
  name: string,
  file: CrawlerFile,
  refreshedRanges: RefreshedRanges | undefined,
): CrawlerList | undefined {
  if (!file.ranges.published) return undefined;
  const { authoritative, source_url, refresh = [], date, v4, v6 } = file.ranges;
  const bundledAt = Date.parse(date);
  const refreshedAt = refreshedRanges === undefined ? 0 : Date.parse(refreshedRanges.fetched_at);
  const isRefreshed = refreshedRanges !== undefined && refreshedAt >= bundledAt;
  const entries = isRefreshed
    ? refreshedRanges.sources.flatMap((source) => [...source.v4, ...source.v6])
    : [...v4, ...v6];
  const { ranges, refusals } = readPublicRanges(entries, CRAWLER_WIDTH_LIMIT);
  const prefixSet = PrefixSet.fromRanges(ranges);
  return {
    file: name,
    operator: file.operator,
    // With an empty list, no visitor is treated as an impersonator.
    authoritative: authoritative && prefixSet.size > 0,
    sourceUrl: source_url,
    refreshUrls: refresh,
    asOf: isRefreshed ? refreshedAt : bundledAt,
    entries,
    ranges: prefixSet,
    refusals,
  };
}
