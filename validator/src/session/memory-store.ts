import type { Budget, Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { TwoGenerationCache } from '../two-generation-cache.ts';

export interface MemoryStoreLimits {
  /** Judged sessions held at once; beyond it those unused longest are forgotten. */
  readonly maxSessions: number;
  /**
   * Spent tickets held at once. One that is forgotten early is still refused while its session is known
   * (challenge/settle.ts). With both gone it is good again for that one session until it expires: less
   * of a gain than a full list would be, that locks visitors out.
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

/** What is kept until its time is over. */
interface Kept<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** GCRA: the theoretical arrival time of the next request, in epoch milliseconds. */
interface Counter {
  arrivalAt: number;
}

/** Sessions, spent tickets and budgets in this process. Every answer comes at once. */
export class MemoryStore implements SessionStore {
  readonly #clock: Clock;
  readonly #sessions: TwoGenerationCache<Kept<Session>>;
  readonly #spent: TwoGenerationCache<Kept<true>>;
  readonly #counters: TwoGenerationCache<Counter>;

  constructor(clock: Clock, limits: MemoryStoreLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#sessions = new TwoGenerationCache(limits.maxSessions);
    this.#spent = new TwoGenerationCache(limits.maxSpent);
    this.#counters = new TwoGenerationCache(limits.maxBudgets);
  }

  /** Sessions held, with those whose time is over and that nobody has asked for since. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  session(id: string): Session | undefined {
    return this.#alive(this.#sessions.get(id));
  }

  keepSession(id: string, session: Session, ttlMs: number): void {
    this.#sessions.set(id, { value: session, expiresAt: this.#clock() + ttlMs });
  }

  spend(id: string, ttlMs: number): boolean {
    if (this.#alive(this.#spent.get(id)) !== undefined) return false;
    this.#spent.set(id, { value: true, expiresAt: this.#clock() + ttlMs });
    return true;
  }

  /** The generic cell rate algorithm: a full budget may come at once, then one each interval. */
  take(key: string, budget: Budget): number {
    const now = this.#clock();
    const intervalMs = budget.perMs / budget.requests;
    const counter = this.#counters.get(key);
    const held = counter?.arrivalAt ?? now;
    // Further ahead than a whole budget is nobody: the clock was set back, and must not lock out.
    const arrivalAt = held > now + budget.perMs + 1 ? now : Math.max(held, now);
    const waitMs = arrivalAt - now - (budget.perMs - intervalMs);
    // Half a millisecond of tolerance: repeated additions of a fractional interval drift upwards.
    if (waitMs > 0.5) return waitMs;
    if (counter === undefined) this.#counters.set(key, { arrivalAt: arrivalAt + intervalMs });
    else counter.arrivalAt = arrivalAt + intervalMs;
    return 0;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #alive<Value>(kept: Kept<Value> | undefined): Value | undefined {
    return kept !== undefined && this.#clock() <= kept.expiresAt ? kept.value : undefined;
  }
}
