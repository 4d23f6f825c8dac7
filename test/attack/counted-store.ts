import type { Session, SessionStore } from '@guard/config/contract/ports';
import { MemoryStore } from '@guard/validator';
import { storeWith } from '../spec/store-with.ts';

export interface CountedStore {
  readonly store: SessionStore;
  /** The number of calls for each operation of the store. */
  readonly calls: Record<'session' | 'keepSession' | 'spend' | 'take', number>;
  /** Each call that kept a session, in order. The same session can occur several times. */
  readonly keptSessions: { readonly id: string; readonly session: Session }[];
}

/** A real store in memory that counts its calls. It limits uploads only when `limits` is true. */
export function countedStore({ limits = false, clock = Date.now } = {}): CountedStore {
  const inner = new MemoryStore(clock, { maxSessions: 1e4, maxSpent: 1e4, maxBudgets: 1e4 });
  const calls = { session: 0, keepSession: 0, spend: 0, take: 0 };
  const keptCalls: { id: string; session: Session }[] = [];
  const store = storeWith({
    session(id) {
      calls.session += 1;
      return inner.session(id);
    },
    keepSession(id, session, ttlMs) {
      calls.keepSession += 1;
      keptCalls.push({ id, session });
      inner.keepSession(id, session, ttlMs);
    },
    spend(id, ttlMs) {
      calls.spend += 1;
      return inner.spend(id, ttlMs);
    },
    take(...args) {
      calls.take += 1;
      return limits ? inner.take(...args) : 0;
    },
  });
  return { store, calls, keptSessions: keptCalls };
}
