/**
 * Repeatable randomness for property tests. The seed comes from the commit (`commit-seed.ts`), so another commit has
 * other inputs. `npm run fuzz` uses new seeds. `GUARD_TEST_SEED` repeats a run.
 */
export interface SeededRandom {
  readonly seed: number;
  /** A number from 0 to below 1. */
  readonly next: () => number;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
}

export function seededRandom(seed: number = seedOfThisRun()): SeededRandom {
  let state = seed >>> 0;
  // Mulberry32 is small, and good enough for test inputs.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { seed, next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}

/** Set by `npm run fuzz`: tests with a full length use it. */
export const isFullLength = process.env['GUARD_TEST_FULL'] === '1';

/** The number of tries of a property: a few in `npm test`, the full number in `npm run fuzz`. */
export function rounds(brief: number, full: number): number {
  return isFullLength ? full : brief;
}

/** vitest.config.ts sets it for every test. */
function seedOfThisRun(): number {
  return Number(process.env['GUARD_TEST_SEED']);
}
