import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { allocateDeadlines, DeadlineTable } from './deadline-table.ts';

test('four threads at once: each ticket is spent once, and no budget is exceeded', async () => {
  const buffer = allocateDeadlines(200_000);
  const data = { buffer, tickets: 20_000, takesPerThread: 5_000 };
  const threads = Array.from(
    { length: 4 },
    () => new Worker(new URL('./testing/contender.ts', import.meta.url), { workerData: data }),
  );
  const results = await Promise.all(
    threads.map(async (thread) => {
      const [result] = (await once(thread, 'message')) as [
        { won: number[]; taken: number; takenOfBoth: number },
      ];
      return result;
    }),
  );
  const wonTickets = results.flatMap((result) => result.won);
  expect(wonTickets).toHaveLength(20_000);
  expect(new Set(wonTickets).size).toBe(20_000);
  expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBe(5_000);
  expect(results.reduce((sum, { takenOfBoth }) => sum + takenOfBoth, 0)).toBe(3_000);
  // The requests took from a budget of 4,000 and a budget of 3,000 together. A refused request gave back what it took
  // from the larger budget, so 1,000 are left there.
  const large = { subject: 'large', budget: { requests: 4_000, perMs: 3_600_000 } };
  const waits = Array.from({ length: 2_000 }, () =>
    new DeadlineTable(buffer).takeAll('b', [large], 1_000),
  );
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(1_000);
});

test('a thread that ended while it had a lock does not block the other threads', () => {
  const buffer = allocateDeadlines(1);
  const table = new DeadlineTable(buffer);
  const locks = new Int32Array(buffer, (4 + 48) * 4, 1);
  locks[0] = 1;
  expect(table.spend('ticket', 0, 1_000)).toBe(true);
  expect(locks[0]).toBe(0);
  expect(table.spend('ticket', 0, 1_000)).toBe(false);
});

test('a full set forgets the least recently used entry', () => {
  const table = new DeadlineTable(allocateDeadlines(1));
  for (let i = 0; i < 16; i++) table.spend(`${i}`, 0, 1_000);
  expect(table.size).toBe(16);
  expect(table.spend('0', 0, 1_000)).toBe(false);
  expect(table.spend('another', 0, 1_000)).toBe(true);
  expect(table.spend('0', 0, 1_000)).toBe(false);
  expect(table.spend('1', 0, 1_000)).toBe(true);
  expect(table.size).toBe(16);
});

test('a counter that got back all that was taken frees its entry, so requests that are over fill no table', () => {
  const table = new DeadlineTable(allocateDeadlines(1));
  const charges = [{ subject: 'c', budget: { requests: 2, perMs: 1_000 } }];
  expect(table.takeAll('a', charges, 0)).toBe(0);
  expect(table.takeAll('a', charges, 0)).toBe(0);
  table.giveBackAll('a', charges, 0);
  expect([table.size, table.takeAll('a', charges, 0), table.takeAll('a', charges, 0)]).toEqual([
    1, 0, 500,
  ]);
  table.giveBackAll('a', charges, 0);
  table.giveBackAll('a', charges, 0);
  table.giveBackAll('a', charges, 0);
  expect(table.size).toBe(0);
  expect(table.takeAll('a', charges, 0)).toBe(0);
});

test('names and subjects have different counters, even when they are equal after joining', () => {
  const table = new DeadlineTable(allocateDeadlines(100));
  expect(table.take('ab', 'c', 0, { requests: 1, perMs: 1_000 })).toBe(0);
  expect(table.take('a', 'bc', 0, { requests: 1, perMs: 1_000 })).toBe(0);
  expect(table.take('abc', '', 0, { requests: 1, perMs: 1_000 })).toBe(0);
  expect(table.take('ab', 'c', 0, { requests: 1, perMs: 1_000 })).toBe(1_000);
});
