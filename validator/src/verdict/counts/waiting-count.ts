/**
 * A count that stays at its limit for this time starts at 0 again, because the ends of some requests were perhaps not
 * reported.
 */
const FORGOTTEN_MS = 60_000;

/** How many requests wait for the origin, and since which time at least one waits. */
export interface WaitingCount {
  count: number;
  since: number;
}

/**
 * Counts one more waiting request. Returns false and counts nothing when `limit` requests already wait. After each
 * true, the caller must call {@link endWaiting} once.
 */
export function startWaiting(waitingCount: WaitingCount, limit: number, nowMs: number): boolean {
  if (waitingCount.count >= limit && nowMs - waitingCount.since > FORGOTTEN_MS)
    waitingCount.count = 0;
  if (waitingCount.count >= limit) return false;
  if (waitingCount.count === 0) waitingCount.since = nowMs;
  waitingCount.count += 1;
  return true;
}

export function endWaiting(waitingCount: WaitingCount): void {
  waitingCount.count = Math.max(0, waitingCount.count - 1);
}
