import type { Budget, SessionStore } from '@guard/config/contract/ports';
import { LateCache } from './late-cache.ts';

/** Maximum number of subjects that are counted. Above this number, the subject unused longest is forgotten. */
const MAX_SUBJECTS = 4_096;

/** A count that stays at its limit for this time starts at 0 again, because some ends may not have been reported. */
export const FORGOTTEN_MS = 60_000;

/** How many requests wait for the origin, and since when at least one waits. */
export interface WaitingCount {
  count: number;
  since: number;
}

/**
 * Counts one more waiting request. False, without counting, when `limit` requests wait already. After each true, the
 * caller must call {@link end} once.
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

/** The waiting requests of one subject, and the documents that it got until `documentsUntil`. */
export interface Subject extends WaitingCount {
  readonly name: string;
  /** The requests that may wait in all threads together. `perMs` is FORGOTTEN_MS. */
  readonly places: Budget;
  documents: number;
  documentsUntil: number;
}

/** How many documents came in the last period, which `noteDocument` starts. */
export function recentDocuments(subject: Subject, nowMs: number): number {
  return nowMs < subject.documentsUntil ? subject.documents : 0;
}

/**
 * The waiting requests of all subjects. Each thread counts exactly. All threads together have places in the store. A
 * place of a request that waits for long is free again before the request ends, so some more requests may wait then.
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

  /** As the function {@link begin}, and also false when all threads together have no place. `limit` is for this one. */
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

  /** Counts a document for a period. It also takes a place, as the request did that got it. */
  noteDocument(subject: Subject, perMs: number, nowMs: number, store: SessionStore): void {
    if (nowMs >= subject.documentsUntil) {
      subject.documents = 0;
      subject.documentsUntil = nowMs + perMs;
    }
    subject.documents += 1;
    store.takeInProcess?.(this.#name, subject.name, subject.places);
  }
}
