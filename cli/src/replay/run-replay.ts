import { constants, gunzipSync } from 'node:zlib';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { Settings } from '@guard/config/settings/schema';
import { createProgressBar } from '../terminal/progress-bar.ts';
import { fileFault } from '../terminal/faults.ts';
import { readCombinedLine } from './combined-log.ts';
import { readJsonLine } from './json-log.ts';
import { createSettingsJudge, type SettingsJudge } from './judge-settings.ts';
import type { LineReading, LoggedRequest } from './logged-request.ts';
import { headOf, lengthOf, type LineSink, readLogFile } from './read-lines.ts';
import { countEvents, type EventSource, readEvents } from './stored-events.ts';
import { type Report, Tally } from './tally.ts';

export interface ReplayPlan {
  readonly candidate: Settings;
  /** The settings to compare with; without them, what happened to the requests. */
  readonly against: Settings | undefined;
  readonly from: LogFiles | StoredEvents;
  readonly site: string | undefined;
  readonly assumeVerified: boolean;
  readonly showProgress: boolean;
}

export interface LogFiles {
  readonly kind: 'files';
  /** `-` is standard input. */
  readonly files: readonly string[];
}

export interface StoredEvents {
  readonly kind: 'events';
  readonly source: EventSource;
}

export interface Replay extends Report {
  /** What rules ask for and the log does not have. */
  readonly unknown: readonly string[];
  /** Requests whose headers are known, so that detection could judge them. */
  readonly withHeaders: number;
  readonly seconds: number;
}

/** Steps of the bar: one for each hundredth of the bytes. */
const STEPS = 100;
const HEAD_BYTES = 64 * 1024;

/** Judges every request of a log with the settings, and counts what would change. Throws an Error with a sentence when a source gives nothing. */
export async function runReplay(plan: ReplayPlan): Promise<Replay> {
  const networks = NetworkCatalogue.load();
  const options = { networks, site: plan.site, assumeVerified: plan.assumeVerified };
  const candidate = createSettingsJudge(plan.candidate, options);
  const against = plan.against && createSettingsJudge(plan.against, options);
  const tally = new Tally();
  let withHeaders = 0;

  function take(file: string, line: string, number: number): void {
    const reading = readLine(line);
    const reason =
      reading.kind === 'unreadable'
        ? reading.reason
        : compare(reading.request, { candidate, against, tally });
    if (reason !== undefined) tally.fault({ file, line: number, reason });
    else if (reading.kind === 'request' && reading.request.headers) withHeaders += 1;
  }

  const startedAt = performance.now();
  await readAll(plan, (file, progress) => ({
    line: (line, number) => take(file, line, number),
    tooLong: (line) => tally.fault({ file, line, reason: 'a line that is too long' }),
    read: progress,
  }));
  const seconds = (performance.now() - startedAt) / 1000;
  const unknown = [...new Set([...candidate.unknown(), ...(against?.unknown() ?? [])])];
  return { ...tally.report(), unknown, withHeaders, seconds };
}

interface Judges {
  readonly candidate: SettingsJudge;
  readonly against: SettingsJudge | undefined;
  readonly tally: Tally;
}

/** Why a request cannot be judged, as a phrase; undefined when it was judged. */
function compare(
  request: LoggedRequest,
  { candidate, against, tally }: Judges,
): string | undefined {
  const after = candidate.judge(request);
  if (after.kind === 'unreadable') return after.reason;
  const before = against?.judge(request);
  if (before?.kind === 'unreadable') return before.reason;
  tally.add(request, before?.judged.outcome ?? request.was, after.judged);
  return undefined;
}

function readLine(line: string): LineReading {
  return line.startsWith('{') ? readJsonLine(line) : readCombinedLine(line);
}

async function readAll(
  { from, showProgress }: ReplayPlan,
  sinkOf: (file: string, progress: (amount: number) => void) => LineSink,
): Promise<void> {
  const stream = showProgress ? process.stderr : { write: () => undefined };
  switch (from.kind) {
    case 'events': {
      const progress = startProgress(stream, await countEvents(from.source));
      await readEvents(from.source, sinkOf(from.source.url, progress.advance));
      progress.end();
      return;
    }
    case 'files': {
      const lengths = from.files.map((file) => ofFile(file, () => lengthOf(file)));
      const files = inOrderOfTime(from.files);
      const total = lengths.some((length) => length === undefined)
        ? 0
        : lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0);
      const progress = startProgress(stream, total);
      for (const file of files) {
        const sink = sinkOf(file, progress.advance);
        await readLogFile(file, sink).catch((error: unknown) => refuse(file, error));
      }
      progress.end();
    }
  }
}

function ofFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse(file, error);
  }
}

function refuse(file: string, error: unknown): never {
  throw new Error(`${file}: ${fileFault(error)}`, { cause: error });
}

/** Rotated logs come in any order, and budgets need rising times. */
function inOrderOfTime(files: readonly string[]): readonly string[] {
  if (files.length < 2 || files.includes('-')) return files;
  return files
    .map((file) => ({ file, beginsAt: beginOf(file) }))
    .toSorted((a, b) => a.beginsAt - b.beginsAt)
    .map(({ file }) => file);
}

function beginOf(file: string): number {
  const bytes = ofFile(file, () => headOf(file, HEAD_BYTES));
  const text = file.endsWith('.gz')
    ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8')
    : bytes.toString('utf8');
  for (const line of text.split('\n')) {
    const reading = readLine(line);
    if (reading.kind === 'request') return reading.request.timeMs;
  }
  return Infinity;
}

function startProgress(stream: Parameters<typeof createProgressBar>[0], total: number) {
  const bar = total > 0 ? createProgressBar(stream, STEPS) : undefined;
  let read = 0;
  let shown = 0;
  return {
    advance: (amount: number): void => {
      read += amount;
      for (; shown < Math.min(STEPS, Math.floor((read / total) * STEPS)); shown += 1) {
        bar?.advance('of the log');
      }
    },
    end: () => bar?.end(),
  };
}
