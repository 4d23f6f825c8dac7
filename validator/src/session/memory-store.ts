import type { Budget, Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { TwoGenerationCache } from '../two-generation-cache.ts';
import { BudgetCounters } from './budget-counters.ts';
import { KeptSession } from './kept-session.ts';

export interface MemoryStoreLimits {
  /** Judged sessions held at once; beyond it those unused longest are forgotten. */
  readonly maxSessions: number;
  /**
   * Spent tickets held at once. One that is forgotten early is still refused while its session is known
   * (challenge/settle.ts). With both gone it is good again for that one session until it expires: less
   * of a gain than a full list would be, that locks visitors out.
   */
  readonly maxSpent: number;
  /** Rate-limit counters held at once, of all budgets together; a forgotten one starts afresh. */
  readonly maxBudgets: number;
}

export const DEFAULT_LIMITS: MemoryStoreLimits = {
  maxSessions: 200_000,
  maxSpent: 400_000,
  maxBudgets: 200_000,
};

/** A spent ticket, until its time is over. */
interface Spent {
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Sessions, spent tickets and budgets in this process. Every answer comes at once. */
export class MemoryStore implements SessionStore {
  readonly #clock: Clock;
  readonly #sessions: TwoGenerationCache<KeptSession>;
  readonly #spent: TwoGenerationCache<Spent>;
  readonly #counters: BudgetCounters;

  constructor(clock: Clock, limits: MemoryStoreLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#sessions = new TwoGenerationCache(limits.maxSessions);
    this.#spent = new TwoGenerationCache(limits.maxSpent);
    this.#counters = new BudgetCounters(limits.maxBudgets);
  }

  /** Sessions held, with those whose time is over and that nobody has asked for since. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Rate-limit counters held, of all budgets together. */
  get counterCount(): number {
    return this.#counters.size;
  }

  session(id: string): Session | undefined {
    const kept = this.#sessions.get(id);
    return kept?.isAlive(this.#clock()) === true ? kept : undefined;
  }

  keepSession(id: string, session: Session, ttlMs: number): void {
    this.#sessions.set(id, new KeptSession(session, this.#clock() + ttlMs));
  }

  spend(id: string, ttlMs: number): boolean {
    const now = this.#clock();
    const spent = this.#spent.get(id);
    if (spent !== undefined && now <= spent.expiresAt) return false;
    this.#spent.set(id, { expiresAt: now + ttlMs });
    return true;
  }

  /** The generic cell rate algorithm: a full budget may come at once, then one each interval. */
  take(name: string, subject: string, budget: Budget): number {
    const now = this.#clock();
    const counter = this.#counters.get(name, subject);
    const intervalMs = budget.perMs / budget.requests;
    const held = counter?.arrivalAt ?? now;
    // Further ahead than a whole budget is nobody: the clock was set back, and must not lock out.
    const arrivalAt = held > now + budget.perMs + 1 ? now : Math.max(held, now);
    const waitMs = arrivalAt - now - (budget.perMs - intervalMs);
    // Half a millisecond of tolerance: repeated additions of a fractional interval drift upwards.
    if (waitMs > 0.5) return waitMs;
    const nextAt = arrivalAt + intervalMs;
    if (counter === undefined) this.#counters.add(name, subject, { arrivalAt: nextAt });
    else counter.arrivalAt = nextAt;
    return 0;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
