import { LRUCache } from 'lru-cache';

/** Spent budgets remembered at once; one that is forgotten is asked for again. */
const MAX_REFUSALS = 50_000;

/**
 * Budgets that Redis said are spent, and until when. A refused request costs nothing, so nothing fits
 * before that time: who goes on asking is refused here, without a round trip.
 */
export class Refusals {
  readonly #until = new LRUCache<string, number>({ max: MAX_REFUSALS });

  /** Milliseconds until a request may fit, 0 when that is not known here. */
  left(key: string, nowMs: number, perMs: number): number {
    const leftMs = (this.#until.get(key) ?? 0) - nowMs;
    // No visitor waits for longer than a whole budget takes: the clock was set back.
    return leftMs > 0 && leftMs <= perMs ? leftMs : 0;
  }

  remember(key: string, untilMs: number): void {
    this.#until.set(key, untilMs);
  }
}
