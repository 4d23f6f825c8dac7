import type { Budget, SessionStore } from '@guard/config/contract/ports';
import { LateCache } from './late-cache.ts';

/** Maximum number of subjects with counts. Above this number, the least recently used subject is forgotten. */
const MAX_SUBJECTS = 4_096;

/**
 * A count that stays at its limit for this time starts at 0 again, because the ends of some requests were perhaps not
 * reported.
 */
export const FORGOTTEN_MS = 60_000;

/** How many requests wait for the origin, and since which time at least one waits. */
export interface WaitingCount {
  count: number;
  since: number;
}

/**
 * Counts one more waiting request. Returns false and counts nothing when `limit` requests already wait. After each
 * true, the caller must call {@link end} once.
 */
export function begin(waitingCount: WaitingCount, limit: number, nowMs: number): boolean {
  if (waitingCount.count >= limit && nowMs - waitingCount.since > FORGOTTEN_MS)
    waitingCount.count = 0;
  if (waitingCount.count >= limit) return false;
  if (waitingCount.count === 0) waitingCount.since = nowMs;
  waitingCount.count += 1;
  return true;
}

export function end(waitingCount: WaitingCount): void {
  waitingCount.count = Math.max(0, waitingCount.count - 1);
}

/** The waiting requests of one subject, and the number of documents that it gets until `documentsUntil`. */
export interface Subject extends WaitingCount {
  readonly name: string;
  /** How many requests of the subject can wait in all threads together. `perMs` is FORGOTTEN_MS. */
  readonly places: Budget;
  documents: number;
  documentsUntil: number;
}

/** How many documents came in the current period. `noteDocument` starts a period. */
export function recentDocuments(subject: Subject, nowMs: number): number {
  return nowMs < subject.documentsUntil ? subject.documents : 0;
}

/**
 * The waiting requests of all subjects. Each thread counts its own requests exactly. For all threads together, each
 * waiting request also takes a place in the store. The place of a request that waits for long is free again before the
 * request ends. Then a few more requests than the limit can wait.
 */
export class UnderWay {
  readonly #name: string;
  readonly #subjects = new LateCache<Subject>(MAX_SUBJECTS);

  /** `name` is the name of the places in the store. */
  constructor(name: string) {
    this.#name = name;
  }

  subject(name: string, places: Budget): Subject {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = { name, places, count: 0, since: 0, documents: 0, documentsUntil: 0 };
      this.#subjects.set(name, subject);
    }
    return subject;
  }

  /**
   * Like the function {@link begin}, but also false when all threads together have no free place. `limit` is the limit
   * of this thread.
   */
  begin(subject: Subject, limit: number, nowMs: number, store: SessionStore): boolean {
    if (!begin(subject, limit, nowMs)) return false;
    const waitMs = store.takeInProcess?.(this.#name, subject.name, subject.places) ?? 0;
    if (waitMs === 0) return true;
    end(subject);
    return false;
  }

  end(subject: Subject, store: SessionStore): void {
    end(subject);
    store.giveBackInProcess?.(this.#name, subject.name, subject.places);
  }

  /**
   * Counts a document for a period. It also takes a place in the store, in exchange for the place that its request has
   * given back.
   */
  noteDocument(subject: Subject, perMs: number, nowMs: number, store: SessionStore): void {
    if (nowMs >= subject.documentsUntil) {
      subject.documents = 0;
      subject.documentsUntil = nowMs + perMs;
    }
    subject.documents += 1;
    store.takeInProcess?.(this.#name, subject.name, subject.places);
  }
}
