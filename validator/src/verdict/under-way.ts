import { LateCache } from './late-cache.ts';

/** Subjects that are counted at the same time. When there are more, the one unused longest is forgotten. */
const MAX_SUBJECTS = 4_096;

/** After this time a count at its limit starts at 0, because the end of a request may not have been reported. */
const FORGOTTEN_MS = 60_000;

/** How many requests wait for their origin, and since when there was one. */
export interface Waiting {
  count: number;
  since: number;
}

/**
 * Counts one more waiting request. False, without counting, when `limit` requests wait already. {@link end} must be
 * called once for each true.
 */
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

/** The waiting requests of each subject. */
export class UnderWay {
  readonly #subjects = new LateCache<Waiting>(MAX_SUBJECTS);

  of(subject: string): Waiting {
    let waiting = this.#subjects.get(subject);
    if (waiting === undefined) this.#subjects.set(subject, (waiting = { count: 0, since: 0 }));
    return waiting;
  }
}
