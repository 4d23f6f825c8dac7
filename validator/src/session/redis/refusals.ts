import { LRUCache } from 'lru-cache';

/** Maximum number of spent budgets in memory. For a forgotten budget, Redis is asked again. */
const MAX_REFUSALS = 50_000;

/**
 * Remembers which budgets are spent in Redis, and until which time. A refused request takes nothing, so no request fits
 * before this time. Until this time requests are refused here, without a question to Redis.
 */
export class Refusals {
  readonly #refusedUntil = new LRUCache<string, number>({ max: MAX_REFUSALS });

  /** Milliseconds until a request can fit. 0 when no spent budget is remembered for this key. */
  waitMs(key: string, nowMs: number, perMs: number): number {
    const leftMs = (this.#refusedUntil.get(key) ?? 0) - nowMs;
    // When the time is later than `nowMs + perMs`, the clock was set back, so the time is ignored.
    return leftMs > 0 && leftMs <= perMs ? leftMs : 0;
  }

  remember(key: string, untilMs: number): void {
    this.#refusedUntil.set(key, untilMs);
  }
}
