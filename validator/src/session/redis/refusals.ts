import { LRUCache } from 'lru-cache';

/** Spent budgets that are remembered at once. For a forgotten one Redis is asked again. */
const MAX_REFUSALS = 50_000;

/**
 * Remembers budgets that are spent in Redis, and until when. A refused request costs nothing, so no request fits
 * before that time. Until then requests are refused here, without a question to Redis.
 */
export class Refusals {
  readonly #until = new LRUCache<string, number>({ max: MAX_REFUSALS });

  /** Milliseconds until a request may fit. 0 when it is unknown here. */
  left(key: string, nowMs: number, perMs: number): number {
    const leftMs = (this.#until.get(key) ?? 0) - nowMs;
    // A time beyond `nowMs + perMs` means that the clock was set back. It is ignored.
    return leftMs > 0 && leftMs <= perMs ? leftMs : 0;
  }

  remember(key: string, untilMs: number): void {
    this.#until.set(key, untilMs);
  }
}
