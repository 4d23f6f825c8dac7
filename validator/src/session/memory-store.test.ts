import { expect, test } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { sessionStoreContract } from './store-contract.ts';

sessionStoreContract('MemoryStore', (clock) => new MemoryStore(clock));

test('holds no more than its limits, whatever comes', () => {
  const store = new MemoryStore(() => 0, { maxSessions: 10, maxSpent: 10, maxBudgets: 10 });
  const session = {
    organisation: 'acme',
    state: 'verified',
    reasons: [],
    userAgent: '',
    network: '',
    judgedAt: 0,
  } as const;
  for (let i = 0; i < 1_000; i++) store.keepSession(`s${i}`, session, 1_000);
  expect(store.sessionCount).toBe(10);
  expect(store.session('s999')).toBeDefined();
  expect(store.session('s0')).toBeUndefined();
});
