import type { OwnAnswer } from '../message/own-answer.ts';
import { randomUUID } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

interface HeldLimits {
  readonly heldAnswers: number;
  /** Of bodies. A body that is larger by itself is not held. */
  readonly heldBytes: number;
  readonly heldMs: number;
}

/**
 * Answers for visitors, until the proxy that asked fetches them a moment later. Each can be fetched
 * once. Where there are too many, the oldest go: their requests are judged again.
 */
export class HeldAnswers {
  readonly #held: LRUCache<string, OwnAnswer>;

  constructor(clock: Clock, { heldAnswers, heldBytes, heldMs }: HeldLimits) {
    this.#held = new LRUCache({
      max: heldAnswers,
      maxSize: heldBytes,
      // A size of 0 is an error to lru-cache.
      sizeCalculation: ({ body }) => Math.max(1, body.length),
      ttl: heldMs,
      // Else it keeps the time for a millisecond, by a timer of its own.
      ttlResolution: 0,
      perf: { now: clock },
    });
  }

  /** Keeps an answer; gives the name to fetch it by, which nobody can guess. */
  keep(answer: OwnAnswer): string {
    const id = randomUUID();
    this.#held.purgeStale();
    this.#held.set(id, answer);
    return id;
  }

  /** The answer of this name, and never again; undefined when it is not there or too old. */
  take(id: string): OwnAnswer | undefined {
    const answer = this.#held.get(id);
    this.#held.delete(id);
    return answer;
  }
}
