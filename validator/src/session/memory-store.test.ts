import { expect, test } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { session, sessionStoreContract } from './testing/store-contract.ts';

sessionStoreContract('MemoryStore', () => {
  const time = { now: 1_000_000 };
  const store = new MemoryStore(() => time.now);
  return { store, passTime: (ms) => (time.now += ms) };
});

test('never exceeds its limits', () => {
  const store = new MemoryStore(() => 0, { maxSessions: 10, maxSpent: 10, maxBudgets: 10 });
  for (let i = 0; i < 1_000; i++) store.keepSession(`s${i}`, session, 1_000);
  expect(store.sessionCount).toBe(10);
  expect(store.session('s999')).toBeDefined();
  expect(store.session('s0')).toBeUndefined();
});

test('a flood of rejected sessions replaces no verified session, and a rejected session can pass later', () => {
  const limits = { maxSessions: 100, maxSpent: 10, maxBudgets: 10 };
  const store = new MemoryStore(() => 0, limits);
  for (let i = 0; i < 40; i++) store.keepSession(`person ${i}`, session, 1_000);
  const rejected = { ...session, state: 'rejected' } as const;
  for (let i = 0; i < 1_000; i++) store.keepSession(`bot ${i}`, rejected, 1_000);
  for (let i = 0; i < 40; i++) expect(store.session(`person ${i}`)).toMatchObject(session);
  expect(store.session('bot 999')).toMatchObject(rejected);
  expect(store.sessionCount).toBeLessThanOrEqual(125);
  store.keepSession('bot 999', session, 1_000);
  expect([...store.sessions()].filter(([id]) => id === 'bot 999')).toHaveLength(1);
});

test('when the clock is set back by an hour, no visitor is locked out for longer than the time of one budget', () => {
  const time = { now: 1_800_000_000_000 };
  const store = new MemoryStore(() => time.now, { maxSessions: 10, maxSpent: 10, maxBudgets: 10 });
  const budget = { requests: 10, perMs: 60_000 };
  for (let i = 0; i < 10; i++) expect(store.take('b', 'k', budget)).toBe(0);
  time.now -= 3_600_000;
  expect(store.take('b', 'k', budget)).toBeLessThanOrEqual(60_000);
  time.now += 60_000;
  expect(store.take('b', 'k', budget)).toBe(0);
});

test('a flood of other subjects and budgets does not refill a budget that is in use', () => {
  const limits = { maxSessions: 10, maxSpent: 10, maxBudgets: 1_024 };
  const store = new MemoryStore(() => 0, limits);
  const budget = { requests: 1, perMs: 60_000 };
  expect(store.take('b', 'k', budget)).toBe(0);
  for (let i = 0; i < 10_000; i++) {
    store.take(`other ${i % 3}`, `${i}`, budget);
    if (i % 100 === 0) expect(store.take('b', 'k', budget)).toBeGreaterThan(0);
    expect(store.counterCount).toBeLessThanOrEqual(1_024);
  }
  expect(store.counterCount).toBe(1_024);
  expect(store.take('b', 'k', budget)).toBeGreaterThan(0);
});
