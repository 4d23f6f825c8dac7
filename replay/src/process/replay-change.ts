import type { ReplayAnswer, ReplayOutcome } from '@guard/config/contract/replay';
import type { Settings } from '@guard/config/settings/schema';
import { changedSettings, settingsOfOrganisation } from '../change/candidate.ts';
import { readChange } from '../change/change.ts';
import { type Paste, pasteOf } from '../change/paste.ts';
import type { ComparisonResult } from '../judge/comparison.ts';
import { type Ask, countEvents, readEvents } from '../logged/stored-events.ts';
import { JudgingProcess } from './judging-process.ts';

const HOUR_MS = 3_600_000;

export interface ChangeQuestion {
  readonly settings: Settings;
  readonly organisation: string;
  /** The change that the page sent. It is not parsed yet. */
  readonly change: unknown;
  /** The number of past hours, from 1 to 168. Undefined means 24. */
  readonly hours?: unknown;
  /** Reads stored events. The answer has only events of this organisation. */
  readonly ask: (sql: string, signal: AbortSignal) => ReturnType<Ask>;
  readonly signal: AbortSignal;
}

interface ReplayBounds {
  /** Maximum number of events that are read. When there are more events, a sample is read. */
  readonly events: number;
  readonly ms: number;
  /** JavaScript heap of the judging process. 50,000 events took less than 128 MB. */
  readonly heapMb: number;
}

/** Time limit for the start of the judging process. The time limit of the replay begins after the start. */
const START_MS = 30_000;

const BOUNDS: ReplayBounds = { events: 50_000, ms: 20_000, heapMb: 256 };

/** A replay takes processor time from visitors, so a Guard process runs only one replay at a time. */
let isRunning = false;

let lastOrganisation = '';

/** For each organisation that was refused, the time until which the next replay is reserved for it. */
const reservedUntilMs = new Map<string, number>();
const TURN_MS = 10_000;

/**
 * True while a replay runs, or while the next replay is reserved for another organisation. A reservation for the
 * organisation of the last replay is ignored.
 */
function isBusy(id: string): boolean {
  if (isRunning) return true;
  const now = performance.now();
  const reservation = [...reservedUntilMs].find(
    ([reservedId, untilMs]) => reservedId !== lastOrganisation && now < untilMs,
  );
  return reservation !== undefined && reservation[0] !== id;
}

/**
 * Judges the stored events of one organisation twice, with the current settings and with one change, in a separate
 * process. At the time limit the answer covers only the oldest events, which are judged first. Never rejects.
 */
export async function replayChange(
  question: ChangeQuestion,
  bounds: ReplayBounds = BOUNDS,
): Promise<ReplayOutcome> {
  const { settings, organisation: id } = question;
  const organisation = settings.organisations.find((candidate) => candidate.id === id);
  if (!organisation) return { kind: 'refused', message: `There is no organisation ${id}.` };
  const reading = readChange(question.change, question.hours, organisation);
  if (reading.kind === 'refused') return reading;
  if (isBusy(id)) {
    reservedUntilMs.set(id, performance.now() + TURN_MS);
    return { kind: 'busy' };
  }
  isRunning = true;
  lastOrganisation = id;
  reservedUntilMs.delete(id);
  try {
    const against = settingsOfOrganisation(settings, id);
    const candidate = changedSettings(against, reading.change);
    const counts = await judge({ ...question, ...reading, against, candidate, bounds });
    return { kind: 'replayed', answer: { ...counts, ...pasteOf(reading.change, organisation) } };
  } catch (error) {
    return { kind: 'unavailable', message: error instanceof Error ? error.message : String(error) };
  } finally {
    isRunning = false;
  }
}

interface JudgingPlan extends Pick<ChangeQuestion, 'ask' | 'signal'> {
  readonly against: Settings;
  readonly candidate: Settings;
  readonly hours: number;
  readonly bounds: ReplayBounds;
}

/** Rejects with an Error that says why there is no answer. */
async function judge({
  against,
  candidate,
  hours,
  bounds,
  ask,
  signal,
}: JudgingPlan): Promise<Omit<ReplayAnswer, keyof Paste>> {
  const judgingProcess = new JudgingProcess({ candidate, against, heapMb: bounds.heapMb });
  const startIsUp = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
  try {
    await Promise.race([judgingProcess.ready, rejectionOf(startIsUp)]);
  } catch (error) {
    await judgingProcess.end();
    throw startIsUp.aborted && !signal.aborted
      ? new Error('The replay did not start: the machine is too busy. Try again later.')
      : error;
  }
  const timeIsUp = AbortSignal.timeout(bounds.ms);
  const stop = AbortSignal.any([signal, timeIsUp]);
  const untilMs = Date.now();
  const eventSource = {
    ask: (sql: string) => ask(sql, stop),
    sinceMs: untilMs - hours * HOUR_MS,
    untilMs,
  };
  let result: ComparisonResult | undefined;
  let sampleRate = 1;

  function faultOf(error: unknown): unknown {
    if (signal.aborted) return new Error('The replay was cancelled.');
    if (!timeIsUp.aborted) return error;
    return new Error(`No event was judged in ${bounds.ms / 1000} seconds. Ask for fewer hours.`);
  }

  async function judgeAll(): Promise<void> {
    sampleRate = Math.max(1, Math.ceil((await countEvents(eventSource)) / bounds.events));
    let eventsLeft = bounds.events;
    for await (const lines of readEvents({ ...eventSource, oneIn: sampleRate })) {
      if (stop.aborted) return;
      result = await judgingProcess.judge(lines.slice(0, eventsLeft));
      eventsLeft -= lines.length;
      if (eventsLeft <= 0) return;
    }
    result ??= await judgingProcess.judge([]);
  }

  try {
    await Promise.race([judgeAll(), rejectionOf(stop)]);
  } catch (error) {
    const isPart = timeIsUp.aborted && !signal.aborted && result !== undefined;
    if (!isPart) throw faultOf(error);
  } finally {
    await judgingProcess.end();
  }
  if (result === undefined) throw faultOf(undefined);
  const { judged, from, to, changed, transitions, groups, unknown } = result;
  return { judged, sampled: sampleRate, from, to, changed, transitions, groups, unknown };
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => {
      reject(new Error('stopped'));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
