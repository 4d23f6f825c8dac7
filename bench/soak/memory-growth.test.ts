import { expect, test } from 'vitest';
import { memoryGrowth } from './memory-growth.ts';

/** One look a second. */
function soakOf(seconds: number, residentMiB: (atS: number) => number) {
  return Array.from({ length: seconds }, (_, s) => ({
    atMs: s * 1000,
    residentMiB: residentMiB(s),
    openFiles: 10,
  }));
}

test('growth is that of the last minute over the second: what warms up in the first one is no leak', () => {
  const flat = soakOf(600, (s) => (s < 60 ? 100 : 200));
  expect(memoryGrowth(flat, 600_000).share).toBe(0);
  const leaking = soakOf(600, (s) => 200 + (s >= 540 ? 30 : 0));
  expect(memoryGrowth(leaking, 600_000).share).toBeCloseTo(0.15);
});

test('a soak of less than four minutes is looked at in quarters', () => {
  const growing = soakOf(40, (s) => (s < 20 ? 100 : 150));
  expect(memoryGrowth(growing, 40_000).share).toBeCloseTo(0.5);
});

test('a soak that never looked has no growth, and says so', () => {
  expect(() => memoryGrowth([], 600_000)).toThrow(/not looked at/);
});
