import type { ProcessContext } from '../process/process-context.ts';
import type { Closer } from '../process/close-all.ts';

const EVERY_MS = 60_000;
/** While there is nothing to compare yet, or nobody to compare with. */
const AGAIN_MS = 1_000;
/** Instances that refresh once a day, each at an hour of its own, are behind each other by less. */
const TOLERATED_MS = 25 * 3_600_000;

export interface WatchedRanges {
  /** When the oldest list of crawler addresses here was confirmed, in milliseconds since the epoch. */
  readonly heldAt: () => number | undefined;
  /** Tells the other instances of it; gives the same of the one whose lists are newest. */
  readonly newestAt: (heldAt: number) => Promise<number | undefined>;
}

/**
 * Holds the lists of crawler addresses of this instance against those of the others: who is behind takes
 * crawlers for impersonators that the others know. Says so in the log, once, and in a metric all the time.
 */
export function watchCrawlerRanges(
  { heldAt, newestAt }: WatchedRanges,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): Closer {
  let behindMs = 0;
  let isWarned = false;
  let timer: NodeJS.Timeout;
  const compare = async (): Promise<boolean> => {
    const held = heldAt();
    const newest = held === undefined ? undefined : await newestAt(held);
    if (held === undefined || newest === undefined) return false;
    behindMs = Math.max(0, newest - held);
    const isBehind = behindMs > TOLERATED_MS;
    const behindHours = Math.floor(behindMs / 3_600_000);
    if (isBehind && !isWarned) log('warn', 'crawler_ranges_behind', { behindHours });
    if (!isBehind && isWarned) log('info', 'crawler_ranges_level');
    isWarned = isBehind;
    return true;
  };
  const watch = async (): Promise<void> => {
    const isCompared = await compare();
    timer = setTimeout(() => void watch(), isCompared ? EVERY_MS : AGAIN_MS).unref();
  };
  metrics.gauge('guard_crawler_ranges_behind_seconds', () => Math.round(behindMs / 1000));
  timer = setTimeout(() => void watch(), 0).unref();
  return () => {
    clearTimeout(timer);
    return Promise.resolve();
  };
}
