import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningGuard } from '../running-guard/find-guard.ts';
import { readMetrics } from '../running-guard/read-metrics.ts';
import { readRecent } from './recent.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

export interface WatchOptions {
  readonly admin: string;
  readonly events: RunningGuard['events'];
  readonly intervalMs: number;
  /** The time limit for each request. */
  readonly timeoutMs: number;
}

export type WatchResult =
  | { readonly kind: 'seen'; readonly snapshot: Snapshot }
  | { readonly kind: 'away'; readonly why: string };

/** Reads the state at each interval, until `end` resolves. The first result comes after one interval. */
export async function* watch(
  options: WatchOptions,
  end: Promise<unknown>,
): AsyncGenerator<WatchResult> {
  const { admin, events, intervalMs, timeoutMs } = options;
  let lastReading = await readMetrics(admin, timeoutMs);
  if (lastReading.kind === 'away') yield lastReading;
  for (;;) {
    if ((await waitOrEnd(intervalMs, end)) === 'ended') return;
    const [after, recent] = await Promise.all([
      readMetrics(admin, timeoutMs),
      readRecent(events, timeoutMs),
    ]);
    if (after.kind === 'away') yield after;
    else if (lastReading.kind === 'read')
      yield { kind: 'seen', snapshot: snapshotOf(lastReading, after, recent) };
    lastReading = after;
  }
}

async function waitOrEnd(ms: number, end: Promise<unknown>): Promise<'over' | 'ended'> {
  const timer = new AbortController();
  const timeout = sleep(ms, 'over' as const, { signal: timer.signal });
  try {
    return await Promise.race([end.then(() => 'ended' as const), timeout]);
  } finally {
    timer.abort();
  }
}
