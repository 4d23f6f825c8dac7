import { expect, test } from 'vitest';
import { memoryGrowth } from './memory-growth.ts';

/** The samples, one for each second. */
function soakOf(seconds: number, residentMiB: (atS: number) => number) {
  return Array.from({ length: seconds }, (_, s) => ({
    atMs: s * 1000,
    residentMiB: residentMiB(s),
    openFiles: 10,
  }));
}

test('growth compares the last minute with the second minute, because in the first minute caches fill', () => {
  const flatSoak = soakOf(600, (s) => (s < 60 ? 100 : 200));
  expect(memoryGrowth(flatSoak, 600_000).share).toBe(0);
  const leakingSoak = soakOf(600, (s) => 200 + (s >= 540 ? 30 : 0));
  expect(memoryGrowth(leakingSoak, 600_000).share).toBeCloseTo(0.15);
});

test('in a soak of less than four minutes, the last quarter is compared with the second one', () => {
  const growingSoak = soakOf(40, (s) => (s < 20 ? 100 : 150));
  expect(memoryGrowth(growingSoak, 40_000).share).toBeCloseTo(0.5);
});

test('a soak without samples throws', () => {
  expect(() => memoryGrowth([], 600_000)).toThrow(/no sample of memory/);
});
