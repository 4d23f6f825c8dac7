import type { ReplayAnswer, ReplayOutcome } from '@guard/config/contract/replay';
import type { Settings } from '@guard/config/settings/schema';
import { changedSettings, settingsOfOrganisation } from '../change/candidate.ts';
import { readChange } from '../change/change.ts';
import { pasteOf } from '../change/paste.ts';
import type { Compared } from '../judge/comparison.ts';
import { type Ask, countEvents, readEvents } from '../logged/stored-events.ts';
import { JudgingProcess } from './judging-process.ts';

const HOUR_MS = 3_600_000;

export interface ChangeQuestion {
  /** The current settings. */
  readonly settings: Settings;
  readonly organisation: string;
  /** The change that the page sent. It is not parsed yet. */
  readonly change: unknown;
  /** 1 to 168; undefined for 24. */
  readonly hours?: unknown;
  /** Reads stored events. The answer has only events of this organisation. */
  readonly ask: (sql: string, signal: AbortSignal) => ReturnType<Ask>;
  readonly signal: AbortSignal;
}

/** The limits of a replay. */
export interface ReplayBounds {
  /** Most events that are read. Above this number a sample is read. */
  readonly events: number;
  readonly ms: number;
  /** JavaScript heap of the judging process. 50,000 events took less than 128 MB. */
  readonly heapMb: number;
}

/**
 * Time limit for the start of the judging process, which loads the catalogues. The time of the replay begins after it.
 */
const START_MS = 30_000;

const BOUNDS: ReplayBounds = { events: 50_000, ms: 20_000, heapMb: 256 };

/** A replay takes processor time from visitors, so each process runs one at a time. */
let isRunning = false;

/** The organisation of the last replay. */
let lastOrganisation = '';

/** Organisations that were refused during another replay, and until when the next turn is reserved for them. */
const waiting = new Map<string, number>();
const TURN_MS = 10_000;

/** True while a replay runs, or while a turn is reserved for another organisation, but not for that of the last replay. */
function isBusy(id: string): boolean {
  if (isRunning) return true;
  const now = performance.now();
  const first = [...waiting].find(([one, untilMs]) => one !== lastOrganisation && now < untilMs);
  return first !== undefined && first[0] !== id;
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
  const organisation = settings.organisations.find((one) => one.id === id);
  if (!organisation) return { kind: 'refused', message: `There is no organisation ${id}.` };
  const read = readChange(question.change, question.hours, organisation);
  if (read.kind === 'refused') return read;
  if (isBusy(id)) {
    waiting.set(id, performance.now() + TURN_MS);
    return { kind: 'busy' };
  }
  isRunning = true;
  lastOrganisation = id;
  waiting.delete(id);
  try {
    const against = settingsOfOrganisation(settings, id);
    const candidate = changedSettings(against, read.change);
    const { compared, sampled } = await judge({ ...question, ...read, against, candidate, bounds });
    return {
      kind: 'replayed',
      answer: { ...answerOf(compared, sampled), ...pasteOf(read.change, organisation) },
    };
  } catch (error) {
    return { kind: 'unavailable', message: error instanceof Error ? error.message : String(error) };
  } finally {
    isRunning = false;
  }
}

interface Judging extends Pick<ChangeQuestion, 'ask' | 'signal'> {
  readonly against: Settings;
  readonly candidate: Settings;
  readonly hours: number;
  readonly bounds: ReplayBounds;
}

/** Rejects with an Error that says why there is no answer. */
async function judge({ against, candidate, hours, bounds, ask, signal }: Judging) {
  const judging = new JudgingProcess({ candidate, against, heapMb: bounds.heapMb });
  const startIsUp = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
  try {
    await Promise.race([judging.ready, rejectionOf(startIsUp)]);
  } catch (error) {
    await judging.end();
    throw startIsUp.aborted && !signal.aborted
      ? new Error('The replay did not start: the machine is too busy. Try again later.')
      : error;
  }
  const timeIsUp = AbortSignal.timeout(bounds.ms);
  const stop = AbortSignal.any([signal, timeIsUp]);
  const untilMs = Date.now();
  const stored = {
    ask: (sql: string) => ask(sql, stop),
    sinceMs: untilMs - hours * HOUR_MS,
    untilMs,
  };
  let compared: Compared | undefined;
  let sampled = 1;

  async function judgeAll(): Promise<void> {
    sampled = Math.max(1, Math.ceil((await countEvents(stored)) / bounds.events));
    let left = bounds.events;
    for await (const lines of readEvents({ ...stored, oneIn: sampled })) {
      if (stop.aborted) return;
      compared = await judging.judge(lines.slice(0, left));
      left -= lines.length;
      if (left <= 0) return;
    }
    compared ??= await judging.judge([]);
  }

  try {
    await Promise.race([judgeAll(), rejectionOf(stop)]);
  } catch (error) {
    const isPart = timeIsUp.aborted && !signal.aborted && compared !== undefined;
    if (!isPart) throw faultOf(error, { signal, timeIsUp, bounds });
  } finally {
    await judging.end();
  }
  if (compared === undefined) throw faultOf(undefined, { signal, timeIsUp, bounds });
  return { compared, sampled };
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

function faultOf(
  error: unknown,
  {
    signal,
    timeIsUp,
    bounds,
  }: {
    readonly signal: AbortSignal;
    readonly timeIsUp: AbortSignal;
    readonly bounds: ReplayBounds;
  },
): unknown {
  if (signal.aborted) return new Error('The replay was cancelled.');
  if (!timeIsUp.aborted) return error;
  return new Error(`No event was judged in ${bounds.ms / 1000} seconds. Ask for fewer hours.`);
}

type Answer = Omit<ReplayAnswer, 'yaml' | 'where'>;

function answerOf(compared: Compared, sampled: number): Answer {
  const { judged, from, to, changed, transitions, groups, unknown } = compared;
  return {
    judged,
    sampled,
    from,
    to,
    changed,
    transitions,
    groups,
    unknown,
  };
}
