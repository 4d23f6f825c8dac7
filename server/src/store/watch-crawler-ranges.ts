import type { Close, ProcessContext } from '../process/process-context.ts';
import { repeat } from '../process/repeat.ts';

const COMPARE_EVERY_MS = 60_000;
/** The time between two comparisons while there are no lists yet, or while the store does not answer. */
const RETRY_MS = 1_000;
/** Instances that refresh daily at different hours have lists whose ages differ by less than this. */
const MAX_DIFFERENCE_MS = 25 * 3_600_000;

interface RangeAges {
  /** When the oldest crawler list of this instance was confirmed, in milliseconds since the epoch. */
  readonly heldAt: () => number | undefined;
  /** Sends `heldAt` to the other instances. Resolves with the newest time that an instance has sent. */
  readonly newestAt: (heldAt: number) => Promise<number | undefined>;
}

/**
 * Compares the age of this instance's crawler lists with the age of the lists of the other instances. With old lists,
 * an instance treats real crawlers as impersonators. So the log warns about them once.
 */
export function watchCrawlerRanges(
  { heldAt, newestAt }: RangeAges,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): Close {
  let behindMs = 0;
  let isWarned = false;
  const compare = async (): Promise<boolean> => {
    const ownAt = heldAt();
    const newestListAt = ownAt === undefined ? undefined : await newestAt(ownAt);
    if (ownAt === undefined || newestListAt === undefined) return false;
    behindMs = Math.max(0, newestListAt - ownAt);
    const isBehind = behindMs > MAX_DIFFERENCE_MS;
    const behindHours = Math.floor(behindMs / 3_600_000);
    if (isBehind && !isWarned) log('warn', 'crawler_ranges_behind', { behindHours });
    if (!isBehind && isWarned) log('info', 'crawler_ranges_level');
    isWarned = isBehind;
    return true;
  };
  metrics.gauge('guard_crawler_ranges_behind_seconds', () => Math.round(behindMs / 1000));
  return repeat(0, async () => ((await compare()) ? COMPARE_EVERY_MS : RETRY_MS));
}
