import type { CrawlerList } from '@guard/config/catalogue/crawler-list';
import { CRAWLER_WIDTH_LIMIT } from '@guard/config/catalogue/crawler-list';
import type { FetchedSource, RefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import type { Clock } from '@guard/config/contract/ports';
import { type AddressRange, readRange } from '@guard/config/net/address';
import { refusalOf } from '@guard/config/net/bogons';
import { coverageOf } from './coverage.ts';
import { fetchList } from './fetch-list.ts';
import type { FetchTerms } from './fetch-report.ts';
import { parsePublished } from './published-ranges.ts';

/** The file is written only after the outcomes `updated` and `unchanged`. */
export type RefreshOutcome =
  | { readonly kind: 'updated'; readonly ranges: RefreshedRanges; readonly dropped: number }
  /** The server of the operator answered that the list has not changed. */
  | { readonly kind: 'unchanged'; readonly ranges: RefreshedRanges }
  /** There was no answer, or the answer was not a list. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface RefreshOptions extends FetchTerms {
  readonly clock: Clock;
  /** When it is true, a list that lost more than half of its addresses is accepted. */
  readonly acceptDrop: boolean;
}

/** Fetches all parts of a list. If one part fails, the whole list stays unchanged. Never rejects. */
export async function refreshRanges(
  list: CrawlerList,
  knownRanges: RefreshedRanges | undefined,
  options: RefreshOptions,
): Promise<RefreshOutcome> {
  const sources: FetchedSource[] = [];
  let isNew = false;
  let droppedEntries = 0;
  for (const url of list.refreshUrls) {
    const knownSource = knownRanges?.sources.find((source) => source.url === url);
    const fetchOutcome = await fetchList(options.mirrorOf?.(url) ?? url, knownSource ?? {}, {
      timeoutMs: options.timeoutMs,
      userAgent: 'guard crawlers refresh',
      accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
      maxBytes: 4 * 1024 * 1024,
    });
    if (fetchOutcome.kind === 'failed')
      return { kind: 'failed', reason: `${url}: ${fetchOutcome.reason}` };
    if (fetchOutcome.kind === 'unchanged') {
      if (knownSource === undefined)
        return { kind: 'failed', reason: `${url}: status 304 unasked` };
      sources.push(knownSource);
      continue;
    }
    const parsed = parsePublished(fetchOutcome.bytes.toString());
    if (parsed.kind === 'refused') return { kind: 'refused', reason: `${url}: ${parsed.reason}` };
    const usableEntries = parsed.entries.filter(isUsable);
    droppedEntries += parsed.entries.length - usableEntries.length;
    isNew = true;
    sources.push({
      url,
      ...fetchOutcome.state,
      v4: usableEntries.filter((entry) => !entry.includes(':')),
      v6: usableEntries.filter((entry) => entry.includes(':')),
    });
  }
  const ranges = { fetched_at: new Date(options.clock()).toISOString(), sources };
  if (!isNew) return { kind: 'unchanged', ranges };
  const reason = refusalForLoss(list, sources, options.acceptDrop);
  return reason === undefined
    ? { kind: 'updated', ranges, dropped: droppedEntries }
    : { kind: 'refused', reason };
}

/** Whether a list may have this entry. False for a bogon, and for a range that is wider than an operator can need. */
function isUsable(entry: string): boolean {
  const range = readRange(entry);
  return range !== undefined && refusalOf(range, CRAWLER_WIDTH_LIMIT) === undefined;
}

/** Says why a new version of a list is refused. No operator gives up half of its addresses in a day. */
function refusalForLoss(
  list: CrawlerList,
  sources: readonly FetchedSource[],
  acceptDrop: boolean,
): string | undefined {
  const entries = sources.flatMap(({ v4, v6 }) => [...v4, ...v6]);
  if (entries.length === 0) return 'no usable address remains';
  if (acceptDrop) return undefined;
  const coverageBefore = coverageOf(readAll(list.entries));
  const coverageAfter = coverageOf(readAll(entries));
  for (const family of ['v4', 'v6'] as const) {
    if (coverageAfter[family] * 2n < coverageBefore[family]) {
      return `more than half of its IP${family} addresses would be lost; use --accept-drop to accept the list`;
    }
  }
  return undefined;
}

function readAll(entries: readonly string[]): AddressRange[] {
  return entries.filter(isUsable).flatMap((entry) => readRange(entry) ?? []);
}
