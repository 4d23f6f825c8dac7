import type { Budget, Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

export interface MemoryStoreLimits {
  /** Judged sessions held at once; beyond it the one unused longest is forgotten. */
  readonly maxSessions: number;
  /**
   * Spent tickets held at once. Forgetting one early makes it good again, for the one session it names
   * and until it expires: a flood gains less by that than by visitors whom a full list would lock out.
   */
  readonly maxSpent: number;
  /** Rate-limit counters held at once; a forgotten one starts afresh. */
  readonly maxBudgets: number;
}

export const DEFAULT_LIMITS: MemoryStoreLimits = {
  maxSessions: 200_000,
  maxSpent: 400_000,
  maxBudgets: 200_000,
};

/** Sessions, spent tickets and budgets in this process. Every answer comes at once. */
export class MemoryStore implements SessionStore {
  readonly #clock: Clock;
  readonly #sessions: LRUCache<string, Session>;
  readonly #spent: LRUCache<string, true>;
  /** GCRA: the theoretical arrival time of the next request, per key, in epoch milliseconds. */
  readonly #arrivals: LRUCache<string, number>;

  constructor(clock: Clock, limits: MemoryStoreLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    const perf = { now: clock };
    this.#sessions = new LRUCache({ max: limits.maxSessions, ttlResolution: 0, perf });
    this.#spent = new LRUCache({ max: limits.maxSpent, ttlResolution: 0, perf });
    this.#arrivals = new LRUCache({ max: limits.maxBudgets });
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  session(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  keepSession(id: string, session: Session, ttlMs: number): void {
    this.#sessions.set(id, session, { ttl: ttlMs });
  }

  spend(id: string, ttlMs: number): boolean {
    if (this.#spent.has(id)) return false;
    this.#spent.set(id, true, { ttl: ttlMs });
    return true;
  }

  /** The generic cell rate algorithm: a full budget may come at once, then one each interval. */
  take(key: string, budget: Budget): number {
    const now = this.#clock();
    const intervalMs = budget.perMs / budget.requests;
    const arrival = Math.max(this.#arrivals.get(key) ?? now, now);
    const waitMs = arrival - now - (budget.perMs - intervalMs);
    // Half a millisecond of tolerance: repeated additions of a fractional interval drift upwards.
    if (waitMs > 0.5) return waitMs;
    this.#arrivals.set(key, arrival + intervalMs);
    return 0;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
