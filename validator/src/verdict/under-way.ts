import { LateCache } from './late-cache.ts';

/** Maximum number of subjects that are counted. Above this number, the subject unused longest is forgotten. */
const MAX_SUBJECTS = 4_096;

/** A count that stays at its limit for this time starts at 0 again, because some ends may not have been reported. */
const FORGOTTEN_MS = 60_000;

/** How many requests wait for the origin, and since when at least one waits. */
export interface Waiting {
  count: number;
  since: number;
}

/**
 * Counts one more waiting request. False, without counting, when `limit` requests wait already. After each true, the
 * caller must call {@link end} once.
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

/** The waiting requests of one subject, and the documents that it got until `documentsUntil`. */
export interface Subject extends Waiting {
  documents: number;
  documentsUntil: number;
}

/** How many documents came in the last period, which `noteDocument` starts. */
export function recentDocuments(subject: Subject, nowMs: number): number {
  return nowMs < subject.documentsUntil ? subject.documents : 0;
}

export function noteDocument(subject: Subject, perMs: number, nowMs: number): void {
  if (nowMs >= subject.documentsUntil) {
    subject.documents = 0;
    subject.documentsUntil = nowMs + perMs;
  }
  subject.documents += 1;
}

/** The waiting requests of all subjects. */
export class UnderWay {
  readonly #subjects = new LateCache<Subject>(MAX_SUBJECTS);

  subject(name: string): Subject {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = { count: 0, since: 0, documents: 0, documentsUntil: 0 };
      this.#subjects.set(name, subject);
    }
    return subject;
  }
}
