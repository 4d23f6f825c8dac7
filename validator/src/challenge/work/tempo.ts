import { LRUCache } from 'lru-cache';

/** A count forgets within this time, and is per this time. */
const NOW_MS = 10 * 60_000;
/** What is normal is forgotten within this time. */
const NORMAL_MS = 24 * 60 * 60_000;

/** So many times the normal is no pressure: days have quiet hours and busy ones. */
const FACTOR = 4;
/** So many in ten minutes are no pressure, whatever is normal. */
const FLOOR = 200;
/** Clients of one site come in few classes, and an attacker may invent more. */
const MAX_CLASSES = 256;

interface Counts {
  now: number;
  normal: number;
  at: number;
}

/**
 * How often clients of one class (request/client-class.ts) pass, against their own past: many networks can be rented, and
 * their programs look alike. Each thread counts for itself, so both sides of the comparison are a part of the whole.
 *
 * What is above the normal raises it slowly: an attack that lasts a day is not normal by then, and a site that has grown is
 * within two.
 */
export class Tempo {
  readonly #counts = new LRUCache<string, Counts>({ max: MAX_CLASSES });
  #since: number | undefined;

  /** Counts one pass. 0 where that is normal; each doubling above it is one more. */
  level(client: string, nowMs: number): number {
    this.#since ??= nowMs;
    let counts = this.#counts.get(client);
    if (counts === undefined) {
      counts = { now: 0, normal: 0, at: nowMs };
      this.#counts.set(client, counts);
    }
    const passedMs = Math.max(0, nowMs - counts.at);
    counts.now = counts.now * Math.exp(-passedMs / NOW_MS) + 1;
    counts.normal *= Math.exp(-passedMs / NORMAL_MS);
    counts.at = nowMs;
    // As if what was counted so far had gone on for ever: after a start the past is short.
    const known = 1 - Math.exp(-Math.max(NOW_MS, nowMs - this.#since) / NORMAL_MS);
    const normal = ((counts.normal / known) * NOW_MS) / NORMAL_MS;
    const limit = Math.max(FLOOR, FACTOR * normal);
    counts.normal += Math.min(1, limit / counts.now);
    return counts.now <= limit ? 0 : Math.ceil(Math.log2(counts.now / limit));
  }
}
