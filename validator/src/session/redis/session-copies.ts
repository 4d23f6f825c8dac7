import type { Clock, Session } from '@guard/config/contract/ports';
import { MAX_SESSIONS, SessionTable } from '../session-table.ts';

/** How long a copy is used without a question to Redis, in milliseconds. Redis reports a change at once. */
const FRESH_MS = 1_000;

/** A copy of a session in Redis. */
interface Copy {
  readonly session: Session;
  readonly expiresAt: number;
  /** The time at which Redis confirmed the copy. NEVER when it is not confirmed. */
  confirmedAt: number;
  /** The connection on which Redis confirmed the copy. Redis reports changes only on this connection. */
  readonly era: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Copies of sessions. They are used in place of a question to Redis for a moment, and while Redis is away. */
export class SessionCopies {
  readonly #clock: Clock;
  readonly #copies = new SessionTable<Copy>(MAX_SESSIONS);
  #era = 0;
  #changes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#copies.size;
  }

  /** Number of changes that Redis has reported. When it has grown since a question, the answer can be out of date. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * A session that can be used without a question to Redis. Only verified sessions are returned, because a rejected
   * visitor can pass at another instance at any moment.
   */
  fresh(id: string): Session | undefined {
    const copy = this.#copies.get(id);
    if (copy === undefined || copy.era !== this.#era) return undefined;
    const now = this.#clock();
    const ageMs = now - copy.confirmedAt;
    const isFresh = ageMs >= 0 && ageMs <= FRESH_MS && now <= copy.expiresAt;
    return isFresh && copy.session.state === 'verified' ? copy.session : undefined;
  }

  /** The last copy of a session, even if it is old. */
  lastCopy(id: string): Session | undefined {
    const copy = this.#copies.get(id);
    return copy !== undefined && this.#clock() <= copy.expiresAt ? copy.session : undefined;
  }

  /** Stores the session from an answer of Redis. `changes` is the number of changes before the question. */
  confirm(id: string, session: Session, expiresAt: number, changes: number): void {
    const confirmedAt = changes === this.#changes ? this.#clock() : NEVER;
    this.#copies.set(id, session.state, { session, expiresAt, confirmedAt, era: this.#era });
  }

  /** Stores a session that does not come from Redis. It is used while Redis is away. */
  keep(id: string, session: Session, expiresAt: number): void {
    const copy = { session, expiresAt, confirmedAt: NEVER, era: this.#era };
    this.#copies.set(id, session.state, copy);
  }

  /** Called when Redis has no such session. */
  forget(id: string): void {
    this.#copies.delete(id);
  }

  /** Called when another instance changed the session. */
  doubt(id: string): void {
    this.#changes += 1;
    const copy = this.#copies.get(id);
    if (copy) copy.confirmedAt = NEVER;
  }

  /** Called when changes can have been missed. */
  doubtAll(): void {
    this.#changes += 1;
    this.#era += 1;
  }
}
