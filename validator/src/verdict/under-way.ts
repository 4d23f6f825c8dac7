import { LRUCache } from 'lru-cache';

/** Subjects that are counted at the same time. The one unused longest starts at none. */
const MAX_SUBJECTS = 4_096;

/** A count that was at its limit for this long starts at 0 again: an end was not reported, or answers are slow. */
const FORGOTTEN_MS = 60_000;

/** How many requests wait for their origin, and since when there was one. */
export interface Waiting {
  count: number;
  since: number;
}

/** False, and nothing is counted, where `limit` requests wait already. Each true needs one {@link end}. */
export function begin(waiting: Waiting, limit: number, nowMs: number): boolean {
  if (waiting.count >= limit && nowMs - waiting.since > FORGOTTEN_MS) waiting.count = 0;
  if (waiting.count >= limit) return false;
  if (waiting.count === 0) waiting.since = nowMs;
  waiting.count += 1;
  return true;
}

export function end(waiting: Waiting): void {
  waiting.count = Math.max(0, waiting.count - 1);
}

/** What waits, by subject. */
export class UnderWay {
  readonly #subjects = new LRUCache<string, Waiting>({ max: MAX_SUBJECTS });

  of(subject: string): Waiting {
    let waiting = this.#subjects.get(subject);
    if (waiting === undefined) this.#subjects.set(subject, (waiting = { count: 0, since: 0 }));
    return waiting;
  }
}
