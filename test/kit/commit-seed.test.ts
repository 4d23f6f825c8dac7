import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { seedOfRun } from './commit-seed.ts';

const HERE = import.meta.dirname;

test('the seed is that of the commit, the told one, or a new one', () => {
  expect(seedOfRun(undefined, HERE)).toMatch(/^\d+$/);
  expect(seedOfRun(undefined, HERE)).toBe(seedOfRun(undefined, HERE));
  expect(seedOfRun('4711', HERE)).toBe('4711');
  expect(Number(seedOfRun('new', HERE))).toBeGreaterThan(0);
});

test('a seed that is no number is refused', () => {
  expect(() => seedOfRun('c1', HERE)).toThrow('GUARD_TEST_SEED is a whole number or new: c1');
});

test('without git the seed is a fixed one', () => {
  expect(seedOfRun(undefined, tmpdir())).toBe('20');
});
