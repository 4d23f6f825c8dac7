import { expect, test } from 'vitest';
import { allocateStore } from '../session/memory-store.ts';
import { ThreadStore } from '../session/thread-store.ts';
import { UsedNonces } from './used-nonces.ts';

test('a nonce is valid once in all threads of a process, until its signature expires', () => {
  const time = { now: Date.UTC(2026, 10, 21) };
  const memory = allocateStore({ maxSessions: 100, maxSpent: 100, maxBudgets: 100 });
  const threads = [1, 2, 3].map(() => ({
    nonces: new UsedNonces(),
    store: new ThreadStore(
      () => time.now,
      memory,
      () => Promise.resolve(),
    ),
  }));
  const expiresMs = time.now + 60_000;
  const use = (name: string, untilMs = expiresMs) =>
    threads.map(({ nonces, store }) => nonces.use(name, time.now, untilMs, store));
  expect(use('key n1')).toEqual([true, false, false]);
  time.now += 59_000;
  expect(use('key n1')).toEqual([false, false, false]);
  expect(use('key n2')).toEqual([true, false, false]);
  time.now += 1_001;
  // The nonce can be used again only after its signature has expired.
  expect(use('key n1', time.now + 60_000)).toEqual([true, false, false]);
});
