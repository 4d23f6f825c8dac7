import type { Session } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { TwoGenerationCache } from './two-generation-cache.ts';

/** Verified sessions that a store holds. */
export const MAX_SESSIONS = 200_000;
/** Rejected ones, which count for an hour and not for a day, as a part of those. */
const REJECTED_PART = 1 / 4;

/**
 * What is known of judged sessions, by any value of theirs (sessionRoot). Verified and rejected ones have a table each: a bot that is
 * rejected again and again must not make Guard forget the people who passed. In each table the sessions
 * unused longest are forgotten. A session is an id, a few short texts and two times, and the visitor chooses
 * the length of none, so the number of sessions is a bound in bytes too.
 */
export class SessionTable<Value> {
  readonly #verified: TwoGenerationCache<Value>;
  readonly #rejected: TwoGenerationCache<Value>;

  /** `maxVerified` sessions that passed, and a quarter of that which did not. */
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

  /** What was kept last stands: a session is in one of the two. */
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

  /** What it holds (TwoGenerationCache.entries), verified sessions last. */
  *entries(): Generator<[string, Value]> {
    yield* this.#rejected.entries();
    yield* this.#verified.entries();
  }
}
