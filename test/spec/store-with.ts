import type { SessionStore } from '@guard/config/contract/ports';
import { MemoryStore } from '@guard/validator';

/** A session store in memory, with some operations that a test replaces. */
export function storeWith(overrides: Partial<SessionStore>): SessionStore {
  const store = new MemoryStore(Date.now);
  return {
    session: (id) => store.session(id),
    keepSession: (...args) => store.keepSession(...args),
    spend: (...args) => store.spend(...args),
    take: (...args) => store.take(...args),
    takeSync: (...args) => store.takeSync(...args),
    takeInProcess: (...args) => store.takeInProcess(...args),
    giveBackInProcess: (...args) => store.giveBackInProcess(...args),
    takeAll: (...args) => store.takeAll(...args),
    remember: (...args) => store.remember(...args),
    remembers: (...args) => store.remembers(...args),
    close: () => store.close(),
    ...overrides,
  };
}

/** Returns a promise that never settles, like the call of a store behind a dead connection. */
export function neverSettles<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
