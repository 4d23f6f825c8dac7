import { LateCache } from './late-cache.ts';

/** Subjects that are counted at the same time. When there are more, the one unused longest is forgotten. */
const MAX_SUBJECTS = 4_096;

/** After this time a count at its limit starts at 0 again, because the end of a request may not have been reported. */
const FORGOTTEN_MS = 60_000;

/** How many requests wait for their origin, and since when at least one waits. */
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

/** The waiting requests of one subject, and the documents that came back to it until `documentsUntil`. */
export interface Subject extends Waiting {
  documents: number;
  documentsUntil: number;
}

/** Documents that came back since the first one, for at most `perMs`. After this time the count begins again. */
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

/** The waiting requests of each subject. */
export class UnderWay {
  readonly #subjects = new LateCache<Subject>(MAX_SUBJECTS);

  of(name: string): Subject {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = { count: 0, since: 0, documents: 0, documentsUntil: 0 };
      this.#subjects.set(name, subject);
    }
    return subject;
  }
}
