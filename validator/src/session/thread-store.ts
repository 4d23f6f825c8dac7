import type { Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { DEFAULT_LIMITS, LocalStore, type SharedMemory } from './memory-store.ts';

/** Sends a session to the other threads. Resolves when they have stored it. `expiresAt` is in epoch milliseconds. */
type AnnounceSession = (id: string, session: Session, expiresAt: number) => Promise<void>;

/**
 * The store of one of several threads. Spent tickets and budgets are in memory that all threads share. Each thread has
 * its own copy of the sessions, because every request reads them.
 */
export class ThreadStore extends LocalStore implements SessionStore {
  readonly #announce: AnnounceSession;

  constructor(clock: Clock, memory: SharedMemory, announce: AnnounceSession) {
    super(clock, DEFAULT_LIMITS, memory);
    this.#announce = announce;
  }

  /**
   * Resolves when the other threads have stored the session, because any of them can get the visitor's next request.
   */
  keepSession(id: string, session: Session, ttlMs: number): Promise<void> {
    const expiresAt = this.clock() + ttlMs;
    this.adopt(id, session, expiresAt);
    return this.#announce(id, session, expiresAt);
  }
}
