import type { CrawlerList } from '@guard/config/catalogue/crawler-list';
import { readRefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import { keepList } from './keep-list.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import { type Refreshed, refreshList, type RefreshOptions } from './refresh-list.ts';

export interface ListReport {
  readonly file: string;
  readonly operator: string;
  readonly result: Refreshed['kind'];
  /** How many ranges are kept after the refresh. */
  readonly ranges: number;
  /** Entries that were dropped as bogons or too wide. */
  readonly dropped: number;
  /** Why the list stays as it is; empty when it was refreshed. */
  readonly reason: string;
}

/** Operators asked at a time. */
const AT_A_TIME = 4;

/** Refreshes lists into a folder. Each stands for itself: one that fails holds up no other. */
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
      try {
        keepList(into, file, result.ranges);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { ...kept, result: 'failed', reason };
      }
      return { file, operator, result: result.kind, ranges, dropped, reason: '' };
    }
    case 'failed':
    case 'refused':
      return { ...kept, result: result.kind, reason: result.reason };
  }
}
