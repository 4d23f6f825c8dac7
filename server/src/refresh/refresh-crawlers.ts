import { join } from 'node:path';
import type { CrawlerList } from '@guard/config/catalogue/crawler-list';
import { readRefreshedRanges } from '@guard/config/catalogue/refreshed-ranges';
import type { FetchReport } from './fetch-report.ts';
import { jsonText, keepFile } from '../process/keep-file.ts';
import { type RefreshOutcome, refreshRanges, type RefreshOptions } from './refresh-ranges.ts';

export interface ListReport extends FetchReport {
  readonly file: string;
  readonly operator: string;
  readonly ranges: number;
}

const MAX_PARALLEL = 4;

/**
 * Refreshes the lists in a folder. A list that fails does not delay the others. All lists are written together at the
 * end, so that a Guard that watches the folder reloads once. `onAnswer` is called for each list.
 */
export async function refreshCrawlers(
  lists: readonly CrawlerList[],
  folder: string,
  options: RefreshOptions,
  onAnswer: (list: CrawlerList) => void = () => undefined,
): Promise<readonly ListReport[]> {
  const answers = new Map<CrawlerList, RefreshOutcome>();
  const remainingLists = lists.values();
  const refreshNext = async (): Promise<void> => {
    for (const list of remainingLists) {
      answers.set(list, await refreshRanges(list, readRefreshedRanges(folder, list.file), options));
      onAnswer(list);
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, refreshNext));
  const reports: ListReport[] = [];
  for (const [list, answer] of answers) reports.push(await writeList(list, answer, folder));
  return reports.sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function writeList(
  { file, operator, entries }: CrawlerList,
  answer: RefreshOutcome,
  folder: string,
): Promise<ListReport> {
  const unchangedReport = { file, operator, ranges: entries.length, dropped: 0 };
  switch (answer.kind) {
    case 'updated':
    case 'unchanged': {
      const ranges = answer.ranges.sources.reduce((n, { v4, v6 }) => n + v4.length + v6.length, 0);
      const droppedEntries = answer.kind === 'updated' ? answer.dropped : 0;
      const reason = await keepFile(join(folder, `${file}.json`), jsonText(answer.ranges));
      if (reason !== undefined) return { ...unchangedReport, result: 'failed', reason };
      return { file, operator, result: answer.kind, ranges, dropped: droppedEntries, reason: '' };
    }
    case 'failed':
    case 'refused':
      return { ...unchangedReport, result: answer.kind, reason: answer.reason };
  }
}
