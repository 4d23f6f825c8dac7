import type { Budget, Charge, Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { DEFAULT_LIMITS, MemoryStore, type SharedMemory } from './memory-store.ts';

/** Tells the other threads about a session. Resolves when they know it. `expiresAt` is in epoch milliseconds. */
export type AnnounceSession = (id: string, session: Session, expiresAt: number) => Promise<void>;

/**
 * The store of one thread of several. Spent tickets and budgets are in memory that all threads share. Sessions are
 * read by every request, so each thread has its own copy.
 */
export class ThreadStore implements SessionStore {
  readonly #local: MemoryStore;
  readonly #clock: Clock;
  readonly #announce: AnnounceSession;

  constructor(clock: Clock, memory: SharedMemory, announce: AnnounceSession) {
    this.#local = new MemoryStore(clock, DEFAULT_LIMITS, memory);
    this.#clock = clock;
    this.#announce = announce;
  }

  get sessionCount(): number {
    return this.#local.sessionCount;
  }

  session(id: string): Session | undefined {
    return this.#local.session(id);
  }

  /** Resolves when the other threads know the session, because the visitor's next request may reach any of them. */
  keepSession(id: string, session: Session, ttlMs: number): Promise<void> {
    this.#local.keepSession(id, session, ttlMs);
    return this.#announce(id, session, this.#clock() + ttlMs);
  }

  /** Keeps a session that another thread announced. */
  adopt(id: string, session: Session, expiresAt: number): void {
    this.#local.keepSession(id, session, expiresAt - this.#clock());
  }

  /** The sessions for a thread that starts later. */
  sessions(): ReturnType<MemoryStore['sessions']> {
    return this.#local.sessions();
  }

  spend(id: string, ttlMs: number): boolean {
    return this.#local.spend(id, ttlMs);
  }

  take(name: string, subject: string, budget: Budget): number {
    return this.#local.take(name, subject, budget);
  }

  takeAll(name: string, charges: readonly Charge[]): number {
    return this.#local.takeAll(name, charges);
  }

  remember(name: string, subject: string, ttlMs: number): void {
    this.#local.remember(name, subject, ttlMs);
  }

  remembers(name: string, subject: string): boolean {
    return this.#local.remembers(name, subject);
  }

  close(): Promise<void> {
    return this.#local.close();
  }
}
