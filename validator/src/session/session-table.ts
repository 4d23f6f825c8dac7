import type { Session } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { TwoGenerationCache } from './two-generation-cache.ts';

export const MAX_SESSIONS = 200_000;
/**
 * Maximum number of rejected sessions, as a share of the maximum of verified sessions. The share is small, because a
 * session stays rejected for only an hour, and stays verified for a day.
 */
const REJECTED_PART = 1 / 4;

/**
 * Judged sessions by their root (sessionRoot), so that any value of a session finds it. Verified and rejected sessions
 * have separate tables, because a bot that is rejected many times must not make Guard forget people who passed. Each
 * table forgets the least recently used sessions. A visitor cannot choose the length of any text in a session, so the
 * number of sessions also limits the bytes.
 */
export class SessionTable<Value> {
  readonly #verified: TwoGenerationCache<Value>;
  readonly #rejected: TwoGenerationCache<Value>;

  /** Creates a table for `maxVerified` verified sessions and a quarter as many rejected sessions. */
  constructor(maxVerified: number) {
    this.#verified = new TwoGenerationCache(maxVerified);
    this.#rejected = new TwoGenerationCache(maxVerified * REJECTED_PART);
  }

  get size(): number {
    return this.#verified.size + this.#rejected.size;
  }

  get(id: string): Value | undefined {
    const root = sessionRoot(id);
    return this.#verified.get(root) ?? this.#rejected.get(root);
  }

  /** Stores a session in the table of its state, and removes it from the other table. */
  set(id: string, state: Session['state'], value: Value): void {
    const [into, outOf] =
      state === 'verified' ? [this.#verified, this.#rejected] : [this.#rejected, this.#verified];
    const root = sessionRoot(id);
    outOf.delete(root);
    into.set(root, value);
  }

  delete(id: string): void {
    const root = sessionRoot(id);
    this.#verified.delete(root);
    this.#rejected.delete(root);
  }

  /** All entries (TwoGenerationCache.entries). Verified sessions come last. */
  *entries(): Generator<[string, Value]> {
    yield* this.#rejected.entries();
    yield* this.#verified.entries();
  }
}
