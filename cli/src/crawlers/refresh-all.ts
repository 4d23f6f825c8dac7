import type { CrawlerList } from '@guard/config/catalogue/crawler-list';
import { readRefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import type { FetchReport } from './fetch-options.ts';
import { keepList } from './keep-list.ts';
import { refreshList, type RefreshOptions } from './refresh-list.ts';

export interface ListReport extends FetchReport {
  readonly file: string;
  readonly operator: string;
  /** How many ranges are kept after the refresh. */
  readonly ranges: number;
}

/** Operators asked at a time. */
const AT_A_TIME = 4;

/** Refreshes lists into a folder. A list that fails does not hold up the others. */
export async function refreshAll(
  lists: readonly CrawlerList[],
  into: string,
  options: RefreshOptions,
  bar: ProgressBar,
): Promise<readonly ListReport[]> {
  const reports: ListReport[] = [];
  const waiting = lists.values();
  const worker = async (): Promise<void> => {
    for (const list of waiting) {
      reports.push(await refreshOne(list, into, options));
      bar.advance(list.file);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  bar.end();
  return reports.sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function refreshOne(
  list: CrawlerList,
  into: string,
  options: RefreshOptions,
): Promise<ListReport> {
  const { file, operator } = list;
  const result = await refreshList(list, readRefreshedRanges(into, file), options);
  const kept = { file, operator, ranges: list.entries.length, dropped: 0 };
  switch (result.kind) {
    case 'updated':
    case 'unchanged': {
      const ranges = result.ranges.sources.reduce((n, { v4, v6 }) => n + v4.length + v6.length, 0);
      const dropped = result.kind === 'updated' ? result.dropped : 0;
      const reason = keepList(into, file, result.ranges);
      if (reason !== undefined) return { ...kept, result: 'failed', reason };
      return { file, operator, result: result.kind, ranges, dropped, reason: '' };
    }
    case 'failed':
    case 'refused':
      return { ...kept, result: result.kind, reason: result.reason };
  }
}
