import { LRUCache } from 'lru-cache';

/** Subjects that are counted at the same time. Above that the one that began longest ago starts at none. */
const MAX_SUBJECTS = 4_096;

/** After this time a subject starts at none: an answer that takes longer is rare, and so is an end that is not told. */
const FORGOTTEN_MS = 60_000;

/** Counts the requests of a subject (an address, a session) that wait for their origin. */
export class UnderWay {
  readonly #counts = new LRUCache<string, number>({
    max: MAX_SUBJECTS,
    ttl: FORGOTTEN_MS,
    noUpdateTTL: true,
  });

  /** False, and nothing is counted, where `limit` requests wait already. Each true needs one {@link end}. */
  begin(subject: string, limit: number): boolean {
    const count = this.#counts.get(subject) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(subject, count + 1);
    return true;
  }

  end(subject: string): void {
    const count = this.#counts.get(subject) ?? 0;
    if (count > 1) this.#counts.set(subject, count - 1);
    else this.#counts.delete(subject);
  }
}
