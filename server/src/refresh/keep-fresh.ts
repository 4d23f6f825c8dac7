import { Backoff } from '@guard/config/time/backoff';
import type { Close, ProcessContext } from '../process/process-context.ts';

/** What others publish. Guard keeps the last good copy of it. */
export interface Published {
  /** Tells it from all others. */
  readonly key: string;
  /** Names it in the log. */
  readonly name: string;
  /** Milliseconds between two fetches. */
  readonly every: number;
  /** The first fetch of an old copy waits up to this many milliseconds, so that instances that start together do not ask together. */
  readonly spread: number;
  /** When the copy was confirmed last, in milliseconds since the epoch. Undefined without a copy. Throws for a damaged one. */
  readonly keptAt: () => number | undefined;
  /** Fetches it. Rejects where a damaged copy has to be mended by hand. */
  readonly fetch: () => Promise<FetchOutcome>;
}

export type FetchOutcome =
  /** `what` says what is kept now, for the log; without it nothing has changed. */
  | { readonly kind: 'current'; readonly what?: Readonly<Record<string, string | number>> }
  /** The last good copy stays. */
  | { readonly kind: 'kept_back'; readonly reason: string };

/** The last good copy stays, for this reason. */
export function keptBack(reason: string): FetchOutcome {
  return { kind: 'kept_back', reason };
}

export interface Freshness {
  /** When the oldest of all copies was confirmed; undefined where nothing is fetched, or nothing has a copy. */
  readonly oldestAt: () => number | undefined;
  readonly close: Close;
}

/** Time between two looks at what is due. */
const LOOK_EVERY_MS = 1_000;
/** Most fetches at the same time: a slow mirror delays no other one, and few answers are in memory. */
const AT_A_TIME = 4;
/**
 * A fetch that failed is tried again after this, then after twice as long and so on, or after `every` where that is
 * shorter. A database that is refused has been sent whole: some ten megabytes.
 */
const AGAIN_MS = { first: 10 * 60_000, longest: 6 * 3_600_000 } as const;

/** A wait, in shares of `every`. */
const [SHORTEST, LONGEST] = [0.9, 1.1];

interface Watched {
  nextAt: number;
  confirmedAt: number | undefined;
  /** Why the last fetch changed nothing; empty when it was good. */
  reason: string;
  readonly backoff: Backoff;
}

/**
 * Fetches what is published, again and again, outside of all requests. Instances drift apart: each wait is drawn
 * between 90 and 110 % of `every`. What fails is in the log once, until it succeeds or fails for another reason.
 * `published` is asked at each look, because settings change.
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

  /** No wait is drawn as long as this: the clock was set back, or `every` was longer before. */
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

/** A damaged copy has no time, and its fetch says what is wrong with it. */
function timeOf(keptAt: () => number | undefined): number | undefined {
  try {
    return keptAt();
  } catch {
    return undefined;
  }
}
