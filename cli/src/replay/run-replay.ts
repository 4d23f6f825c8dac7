import { constants, gunzipSync } from 'node:zlib';
import {
  type ComparisonResult,
  Comparison,
  type ComparisonPlan,
  countEvents,
  readEvents,
  readLine,
} from '@guard/replay';
import type { EventsAccess } from '../running-guard/query-events.ts';
import { createProgressBar } from '../terminal/progress-bar.ts';
import { fileFault } from '../terminal/faults.ts';
import { askOver } from './ask-over-http.ts';
import { headOf, lengthOf, type LineSink, readLogFile } from './read-lines.ts';

export interface ReplayPlan extends ComparisonPlan {
  readonly from: LogFiles | StoredEvents;
  readonly showProgress: boolean;
}

interface LogFiles {
  readonly kind: 'files';
  /** The log files. `-` means standard input. */
  readonly files: readonly string[];
}

interface StoredEvents {
  readonly kind: 'events';
  readonly source: EventsAccess & {
    /** Requests before this time are left out. In milliseconds since the epoch. */
    readonly sinceMs: number;
    readonly untilMs: number;
  };
}

export interface Replay extends ComparisonResult {
  readonly seconds: number;
}

const HEAD_BYTES = 64 * 1024;

/** Judges a log with the settings and counts the changes. Throws a readable Error when a source has no data. */
export async function runReplay(plan: ReplayPlan): Promise<Replay> {
  const comparison = new Comparison(plan);
  const startedAt = performance.now();
  await readAll(plan, (file, progress) => ({
    line: (line, number) => comparison.take(line, file, number),
    tooLong: (number) => comparison.addFault('a line that is too long', file, number),
    addBytes: progress,
  }));
  const seconds = (performance.now() - startedAt) / 1000;
  return { ...comparison.report(), seconds };
}

async function readAll(
  { from, showProgress }: ReplayPlan,
  sinkOf: (file: string, progress: (amount: number) => void) => LineSink,
): Promise<void> {
  const stream = showProgress ? process.stderr : { write: () => undefined };
  switch (from.kind) {
    case 'events': {
      const events = { ...from.source, ask: askOver(from.source) };
      const bar = createProgressBar(stream, await countEvents(events));
      const sink = sinkOf(from.source.url, () => undefined);
      let number = 0;
      for await (const lines of readEvents(events)) {
        for (const line of lines) sink.line(line, (number += 1));
        bar.advance('events', lines.length);
      }
      bar.end();
      return;
    }
    case 'files': {
      const lengths = from.files.map((file) => withFileFault(file, () => lengthOf(file)));
      const files = sortByTime(from.files);
      const total = lengths.some((length) => length === undefined)
        ? 0
        : lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0);
      const bar = createProgressBar(stream, total);
      for (const file of files) {
        const sink = sinkOf(file, (amount) => bar.advance('bytes of the log', amount));
        await readLogFile(file, sink).catch((error: unknown) => throwFileFault(file, error));
      }
      bar.end();
    }
  }
}

function withFileFault<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return throwFileFault(file, error);
  }
}

function throwFileFault(file: string, error: unknown): never {
  throw new Error(`${file}: ${fileFault(error)}`, { cause: error });
}

/** Sorts log files by their times. The user can give rotated logs in any order, but budgets need ascending times. */
function sortByTime(files: readonly string[]): readonly string[] {
  if (files.length < 2 || files.includes('-')) return files;
  return files
    .map((file) => ({ file, beginsAt: firstTimeOf(file) }))
    .toSorted((a, b) => a.beginsAt - b.beginsAt)
    .map(({ file }) => file);
}

function firstTimeOf(file: string): number {
  const bytes = withFileFault(file, () => headOf(file, HEAD_BYTES));
  const text = file.endsWith('.gz')
    ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8')
    : bytes.toString('utf8');
  for (const line of text.split('\n')) {
    const reading = readLine(line);
    if (reading.kind === 'request') return reading.request.timeMs;
  }
  return Infinity;
}
