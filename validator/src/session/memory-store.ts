import type { Budget, Charge, Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { allocateDeadlines, DeadlineTable } from './deadline-table.ts';
import { KeptSession } from './kept-session.ts';
import { MAX_SESSIONS, SessionTable } from './session-table.ts';

export interface MemoryStoreLimits {
  /** Maximum number of verified sessions at one time (session-table.ts). */
  readonly maxSessions: number;
  /**
   * Maximum number of spent tickets at one time. A ticket that the store forgot early is still refused while its
   * session is stored (challenge/settle.ts). When the store has forgotten both, the ticket can be used again for its
   * session until the ticket expires. The alternative, to refuse new visitors when the list is full, is worse.
   */
  readonly maxSpent: number;
  /**
   * Maximum number of rate-limit counters for all budgets together. A forgotten counter starts again with a full
   * budget.
   */
  readonly maxBudgets: number;
}

export const DEFAULT_LIMITS: MemoryStoreLimits = {
  maxSessions: MAX_SESSIONS,
  maxSpent: 400_000,
  maxBudgets: 200_000,
};

export interface SharedMemory {
  readonly spent: SharedArrayBuffer;
  readonly budgets: SharedArrayBuffer;
}

/** Allocates the memory for spent tickets and counters. Call it once per process. */
export function allocateStore(limits: MemoryStoreLimits = DEFAULT_LIMITS): SharedMemory {
  return {
    spent: allocateDeadlines(limits.maxSpent),
    budgets: allocateDeadlines(limits.maxBudgets),
  };
}

/** Sessions, spent tickets and budgets in the memory of this process. All methods answer synchronously. */
export class LocalStore implements Omit<SessionStore, 'keepSession'> {
  protected readonly clock: Clock;
  readonly #sessions: SessionTable<KeptSession>;
  readonly #spent: DeadlineTable;
  protected readonly budgets: DeadlineTable;

  constructor(
    clock: Clock,
    limits: MemoryStoreLimits = DEFAULT_LIMITS,
    memory = allocateStore(limits),
  ) {
    this.clock = clock;
    this.#sessions = new SessionTable(limits.maxSessions);
    this.#spent = new DeadlineTable(memory.spent);
    this.budgets = new DeadlineTable(memory.budgets);
  }

  /** Number of sessions, including some that have expired. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  get counterCount(): number {
    return this.budgets.size;
  }

  session(id: string): Session | undefined {
    const storedSession = this.#sessions.get(id);
    return storedSession?.isAlive(this.clock()) === true ? storedSession : undefined;
  }

  /** Stores a session that another thread or an earlier process judged. `expiresAt` is in epoch milliseconds. */
  adopt(id: string, session: Session, expiresAt: number): void {
    this.#sessions.set(id, session.state, new KeptSession(session, expiresAt));
  }

  /** The judged sessions that are still valid, each with its expiry. */
  *sessions(): Generator<readonly [id: string, session: Session, expiresAt: number]> {
    const nowMs = this.clock();
    for (const [id, kept] of this.#sessions.entries()) {
      if (kept.isAlive(nowMs)) yield [id, kept, kept.expiresAt];
    }
  }

  spend(id: string, ttlMs: number): boolean {
    const nowMs = this.clock();
    return this.#spent.spend(id, nowMs, nowMs + ttlMs);
  }

  take(name: string, subject: string, budget: Budget): number {
    return this.budgets.take(name, subject, this.clock(), budget);
  }

  takeSync(name: string, subject: string, budget: Budget): number {
    return this.take(name, subject, budget);
  }

  takeInProcess(name: string, charges: readonly Charge[]): number {
    return this.takeAll(name, charges);
  }

  giveBackInProcess(name: string, charges: readonly Charge[]): void {
    this.budgets.giveBackAll(name, charges, this.clock());
  }

  takeAll(name: string, charges: readonly Charge[]): number {
    return this.budgets.takeAll(name, charges, this.clock());
  }

  remember(name: string, subject: string, ttlMs: number): void {
    this.budgets.remember(name, subject, this.clock() + ttlMs);
  }

  remembers(name: string, subject: string): boolean {
    return this.budgets.remembers(name, subject, this.clock);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The store of a process with one thread. */
export class MemoryStore extends LocalStore implements SessionStore {
  keepSession(id: string, session: Session, ttlMs: number): void {
    this.adopt(id, session, this.clock() + ttlMs);
  }
}
