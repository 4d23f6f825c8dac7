import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { seedOfRun } from './commit-seed.ts';

const TEST_FOLDER = import.meta.dirname;

test('the seed comes from the commit or from GUARD_TEST_SEED, or is new', () => {
  expect(seedOfRun(undefined, TEST_FOLDER)).toMatch(/^\d+$/);
  expect(seedOfRun(undefined, TEST_FOLDER)).toBe(seedOfRun(undefined, TEST_FOLDER));
  expect(seedOfRun('4711', TEST_FOLDER)).toBe('4711');
  expect(Number(seedOfRun('new', TEST_FOLDER))).toBeGreaterThan(0);
});

test('a seed that is not a number is refused', () => {
  expect(() => seedOfRun('c1', TEST_FOLDER)).toThrow(
    'GUARD_TEST_SEED is a whole number or new: c1',
  );
});

test('without git the seed is a fixed number', () => {
  expect(seedOfRun(undefined, tmpdir())).toBe('20');
});
