import { Backoff } from '@guard/config/time/backoff';
import type { Close, ProcessContext } from '../process/process-context.ts';

/** Data that another party publishes. Guard keeps the last good copy. */
export interface PublishedData {
  /** A text that identifies the data. */
  readonly key: string;
  /** The name of the data in the log. */
  readonly name: string;
  /** Milliseconds from one fetch to the next. */
  readonly everyMs: number;
  /**
   * The longest random wait before an old copy is fetched, so that instances that start together do not ask at the same
   * time.
   */
  readonly spreadMs: number;
  /** When the copy was last confirmed, in epoch milliseconds. Undefined without a copy. Throws for a damaged copy. */
  readonly keptAt: () => number | undefined;
  /** Fetches the data. Rejects when a person has to repair a damaged copy. */
  readonly fetch: () => Promise<FetchOutcome>;
}

export type FetchOutcome =
  /** `what` describes the new copy for the log. Undefined when nothing has changed. */
  | { readonly kind: 'current'; readonly what?: Readonly<Record<string, string | number>> }
  /** The fetch failed, and the last good copy stays in use. */
  | { readonly kind: 'old_copy_stays'; readonly reason: string };

export function oldCopyStays(reason: string): FetchOutcome {
  return { kind: 'old_copy_stays', reason };
}

interface Freshness {
  /** When the oldest copy was confirmed. Undefined when nothing is fetched, or when there is no copy. */
  readonly oldestAt: () => number | undefined;
  readonly close: Close;
}

/** Time between two checks for due fetches. */
const LOOK_EVERY_MS = 1_000;
/**
 * At most this many fetches run at once, so that few answers are in memory and a slow mirror does not delay the
 * others.
 */
const MAX_PARALLEL = 4;
/**
 * The wait after a failure. It doubles up to the longest wait, and is never longer than `everyMs`. The waits are long,
 * because each try can transfer a whole database of some ten megabytes.
 */
const RETRY_MS = { first: 10 * 60_000, longest: 6 * 3_600_000 } as const;

/** `everyMs` is multiplied by a random factor between these limits. */
const [SHORTEST_FACTOR, LONGEST_FACTOR] = [0.9, 1.1];

interface FetchState {
  nextAt: number;
  confirmedAt: number | undefined;
  /** Why the last fetch failed. Empty after a good fetch. */
  reason: string;
  readonly backoff: Backoff;
}

/**
 * Fetches published data regularly, independent of requests. Each wait is a random time from 90 to 110 % of `everyMs`,
 * so that instances do not ask at the same time. A failure is logged once, until the reason changes or a fetch
 * succeeds. `published` is called at each check, because settings change.
 */
export function keepFresh(
  published: () => readonly PublishedData[],
  { clock, log }: Pick<ProcessContext, 'clock' | 'log'>,
  random: () => number = Math.random,
): Freshness {
  let states = new Map<string, FetchState>();
  const runningKeys = new Set<string>();

  function firstState({ name, everyMs, spreadMs, keptAt }: PublishedData): FetchState {
    const confirmedAt = timeOf(keptAt);
    const soonestAt = clock() + random() * spreadMs;
    if (confirmedAt === undefined) log('info', 'published_awaited', { name });
    const dueAt = confirmedAt === undefined ? soonestAt : confirmedAt + withJitter(everyMs);
    const backoff = new Backoff(RETRY_MS.first, RETRY_MS.longest);
    return { nextAt: Math.max(soonestAt, dueAt), confirmedAt, reason: '', backoff };
  }

  function withJitter(ms: number): number {
    return ms * (SHORTEST_FACTOR + random() * (LONGEST_FACTOR - SHORTEST_FACTOR));
  }

  /**
   * True when the wait is over. Also true when the wait is longer than any wait can be: then the clock was set back, or
   * `everyMs` was longer before.
   */
  function isDue({ everyMs, spreadMs }: PublishedData, { nextAt }: FetchState): boolean {
    const waitMs = nextAt - clock();
    return waitMs <= 0 || waitMs > LONGEST_FACTOR * everyMs + spreadMs;
  }

  async function fetchOnce({ name, everyMs, fetch }: PublishedData, state: FetchState) {
    const outcome = await fetch().catch((error: unknown) => {
      return oldCopyStays(error instanceof Error ? error.message : String(error));
    });
    const reason = outcome.kind === 'old_copy_stays' ? outcome.reason : '';
    if (outcome.kind === 'current') {
      state.confirmedAt = clock();
      state.backoff.reset();
      if (outcome.what || state.reason !== '')
        log('info', 'published_current', { name, ...outcome.what });
    } else if (reason !== state.reason) {
      log('warn', 'published_kept_back', { name, reason });
    }
    state.reason = reason;
    state.nextAt =
      clock() + withJitter(reason === '' ? everyMs : Math.min(everyMs, state.backoff.next()));
  }

  function look(): void {
    timer = setTimeout(look, LOOK_EVERY_MS).unref();
    const allData = published();
    states = new Map(allData.map((data) => [data.key, states.get(data.key) ?? firstState(data)]));
    for (const data of allData) {
      const state = states.get(data.key);
      if (runningKeys.size === MAX_PARALLEL) return;
      if (state === undefined || runningKeys.has(data.key) || !isDue(data, state)) continue;
      runningKeys.add(data.key);
      void fetchOnce(data, state).finally(() => runningKeys.delete(data.key));
    }
  }

  let timer = setTimeout(look, 0).unref();
  return {
    oldestAt() {
      const times = [...states.values()].flatMap(({ confirmedAt }) => confirmedAt ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    close() {
      clearTimeout(timer);
      return Promise.resolve();
    },
  };
}

/** The time of a copy. Undefined for a damaged copy: the fetch reports the damage. */
function timeOf(keptAt: () => number | undefined): number | undefined {
  try {
    return keptAt();
  } catch {
    return undefined;
  }
}
