import type { Clock, Session } from '@guard/config/contract/ports';
import { MAX_SESSIONS, SessionTable } from '../session-table.ts';

/** How long a copy stands for the original without a question. Redis tells of changes before that. */
const FRESH_MS = 1_000;

/** A session as Redis had it. */
interface Copy {
  readonly session: Session;
  readonly expiresAt: number;
  /** When Redis said so; before every time where that is in doubt. */
  confirmedAt: number;
  /** The connection on which it did: changes are told on that one only. */
  readonly era: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * Copies of the sessions this instance has seen: for a moment instead of a question to Redis, and for as
 * long as Redis is away.
 */
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

  /** Goes up with each change that Redis tells of. An answer that overlaps with one may be the older. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * A session that may be used without a question. Verified ones only: who was rejected, and passes at
   * another instance, is asked for here a moment later.
   */
  fresh(id: string): Session | undefined {
    const copy = this.#copies.get(id);
    if (copy === undefined || copy.era !== this.#era) return undefined;
    const now = this.#clock();
    const ageMs = now - copy.confirmedAt;
    const isFresh = ageMs >= 0 && ageMs <= FRESH_MS && now <= copy.expiresAt;
    return isFresh && copy.session.state === 'verified' ? copy.session : undefined;
  }

  /** What was known last, however long ago. */
  held(id: string): Session | undefined {
    const copy = this.#copies.get(id);
    return copy !== undefined && this.#clock() <= copy.expiresAt ? copy.session : undefined;
  }

  /** Redis has it, as it answered to a question that was asked after `changes` changes. */
  confirm(id: string, session: Session, expiresAt: number, changes: number): void {
    const confirmedAt = changes === this.#changes ? this.#clock() : NEVER;
    this.#copies.set(id, session.state, { session, expiresAt, confirmedAt, era: this.#era });
  }

  /** Known from elsewhere than an answer: good while Redis is away. */
  keep(id: string, session: Session, expiresAt: number): void {
    const copy = { session, expiresAt, confirmedAt: NEVER, era: this.#era };
    this.#copies.set(id, session.state, copy);
  }

  /** Redis has no such session. */
  forget(id: string): void {
    this.#copies.delete(id);
  }

  /** Another instance changed it. */
  doubt(id: string): void {
    this.#changes += 1;
    const copy = this.#copies.get(id);
    if (copy) copy.confirmedAt = NEVER;
  }

  /** Changes may have been missed. */
  doubtAll(): void {
    this.#changes += 1;
    this.#era += 1;
  }
}
