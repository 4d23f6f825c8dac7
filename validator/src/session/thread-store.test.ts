import { expect, test } from 'vitest';
import { allocateStore } from './memory-store.ts';
import { ThreadStore } from './thread-store.ts';

const PERIOD_MS = 60_000;
const PLACES = [{ subject: 'address', budget: { requests: 3, perMs: PERIOD_MS } }];

/** Two threads that share three places. A request under way needs a place. */
function openThreads() {
  const time = { now: Date.UTC(2026, 10, 21) };
  const memory = allocateStore({ maxSessions: 100, maxSpent: 100, maxBudgets: 100 });
  const open = () =>
    new ThreadStore(
      () => time.now,
      memory,
      () => Promise.resolve(),
    );
  const threads = [open(), open()] as const;
  /** How many of four requests in each thread get a place. */
  const countTaken = () =>
    Array.from({ length: 4 }, () => threads)
      .flat()
      .filter((thread) => thread.takeInProcess('places', PLACES) === 0).length;
  const giveBack = () => threads[1].giveBackInProcess('places', PLACES);
  return { time, countTaken, giveBack };
}

test('all threads share the places, and a place that is given back is free for each thread', () => {
  const { countTaken, giveBack } = openThreads();
  expect(countTaken()).toBe(3);
  giveBack();
  giveBack();
  expect(countTaken()).toBe(2);
});

test('a thread that has ended keeps its places for at most one period', () => {
  const { time, countTaken } = openThreads();
  countTaken();
  time.now += PERIOD_MS;
  expect(countTaken()).toBe(3);
});

test('places that are given back late, or twice, make no more places', () => {
  const { time, countTaken, giveBack } = openThreads();
  countTaken();
  time.now += PERIOD_MS;
  for (let i = 0; i < 6; i++) giveBack();
  expect(countTaken()).toBe(3);
});
