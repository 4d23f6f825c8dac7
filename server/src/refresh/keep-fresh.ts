import { Backoff } from '@guard/config/time/backoff';
import type { Close, ProcessContext } from '../process/process-context.ts';

/** Data that another party publishes. Guard keeps the last good copy. */
export interface Published {
  /** Identifies the data. */
  readonly key: string;
  /** The name in the log. */
  readonly name: string;
  /** Milliseconds between two fetches. */
  readonly every: number;
  /** The longest random wait before an old copy is fetched, so that a starting fleet does not ask all at once. */
  readonly spread: number;
  /** When the copy was last confirmed, in epoch milliseconds. Undefined without a copy. Throws for a damaged copy. */
  readonly keptAt: () => number | undefined;
  /** Fetches the data. Rejects when a person has to repair a damaged copy. */
  readonly fetch: () => Promise<FetchOutcome>;
}

export type FetchOutcome =
  /** `what` describes the new copy for the log. Undefined when nothing has changed. */
  | { readonly kind: 'current'; readonly what?: Readonly<Record<string, string | number>> }
  /** The last good copy stays. */
  | { readonly kind: 'kept_back'; readonly reason: string };

/** The outcome for a failure: the last good copy stays. */
export function keptBack(reason: string): FetchOutcome {
  return { kind: 'kept_back', reason };
}

export interface Freshness {
  /** When the oldest copy was confirmed. Undefined when nothing is fetched, or without a copy. */
  readonly oldestAt: () => number | undefined;
  readonly close: Close;
}

/** Time between two checks for due fetches. */
const LOOK_EVERY_MS = 1_000;
/** Most fetches at the same time. A slow mirror must not delay the others, and few answers are in memory. */
const AT_A_TIME = 4;
/** The wait after a failure. It doubles up to `every`. A refused database was transferred whole, some ten megabytes. */
const AGAIN_MS = { first: 10 * 60_000, longest: 6 * 3_600_000 } as const;

/** `every` is multiplied by a random factor between these limits. */
const [SHORTEST, LONGEST] = [0.9, 1.1];

interface Watched {
  nextAt: number;
  confirmedAt: number | undefined;
  /** Why the last fetch changed nothing. Empty after a good fetch. */
  reason: string;
  readonly backoff: Backoff;
}

/**
 * Fetches published data regularly, independent of requests. Each wait is a random time from 90 to 110 % of `every`, so
 * that instances do not ask together. A failure is logged once, until the reason changes or a fetch succeeds.
 * `published` is called at each check, because settings change.
 */
export function keepFresh(
  published: () => readonly Published[],
  { clock, log }: Pick<ProcessContext, 'clock' | 'log'>,
  random: () => number = Math.random,
): Freshness {
  let watched = new Map<string, Watched>();
  const underway = new Set<string>();

  function begin({ name, every, spread, keptAt }: Published): Watched {
    const confirmedAt = timeOf(keptAt);
    const soon = clock() + random() * spread;
    if (confirmedAt === undefined) log('info', 'published_awaited', { name });
    const dueAt = confirmedAt === undefined ? soon : confirmedAt + jittered(every);
    const backoff = new Backoff(AGAIN_MS.first, AGAIN_MS.longest);
    return { nextAt: Math.max(soon, dueAt), confirmedAt, reason: '', backoff };
  }

  function jittered(ms: number): number {
    return ms * (SHORTEST + random() * (LONGEST - SHORTEST));
  }

  /** True when the wait is over, or longer than any wait: the clock was set back, or `every` was longer before. */
  function isDue({ every, spread }: Published, { nextAt }: Watched): boolean {
    const wait = nextAt - clock();
    return wait <= 0 || wait > LONGEST * every + spread;
  }

  async function ask({ name, every, fetch }: Published, one: Watched): Promise<void> {
    const outcome = await fetch().catch((error: unknown): FetchOutcome => {
      return { kind: 'kept_back', reason: error instanceof Error ? error.message : String(error) };
    });
    const reason = outcome.kind === 'kept_back' ? outcome.reason : '';
    if (outcome.kind === 'current') {
      one.confirmedAt = clock();
      one.backoff.reset();
      if (outcome.what || one.reason !== '')
        log('info', 'published_current', { name, ...outcome.what });
    } else if (reason !== one.reason) {
      log('warn', 'published_kept_back', { name, reason });
    }
    one.reason = reason;
    one.nextAt = clock() + jittered(reason === '' ? every : Math.min(every, one.backoff.next()));
  }

  function look(): void {
    timer = setTimeout(look, LOOK_EVERY_MS).unref();
    const all = published();
    watched = new Map(all.map((one) => [one.key, watched.get(one.key) ?? begin(one)]));
    for (const one of all) {
      const state = watched.get(one.key);
      if (underway.size === AT_A_TIME) return;
      if (state === undefined || underway.has(one.key) || !isDue(one, state)) continue;
      underway.add(one.key);
      void ask(one, state).finally(() => underway.delete(one.key));
    }
  }

  let timer = setTimeout(look, 0).unref();
  return {
    oldestAt() {
      const times = [...watched.values()].flatMap(({ confirmedAt }) => confirmedAt ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    close() {
      clearTimeout(timer);
      return Promise.resolve();
    },
  };
}

/** Undefined for a damaged copy. The fetch reports the damage. */
function timeOf(keptAt: () => number | undefined): number | undefined {
  try {
    return keptAt();
  } catch {
    return undefined;
  }
}
