/**
 * Repeatable randomness for property tests. The seed comes from the commit (`commit-seed.ts`), so each commit has other
 * inputs. `npm run fuzz` uses new seeds. `GUARD_TEST_SEED` repeats a run.
 */
export interface SeededRandom {
  readonly seed: number;
  /** Returns a number from 0 to below 1. */
  readonly next: () => number;
  /** Returns a whole number from 0 to below `limit`. */
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

/** True in `npm run fuzz`: tests run at their full length. */
export const isFullLength = process.env['GUARD_TEST_FULL'] === '1';

/** Returns the number of tries for a property test: `brief` in `npm test`, `full` in `npm run fuzz`. */
export function rounds(brief: number, full: number): number {
  return isFullLength ? full : brief;
}

/** vitest.config.ts sets the variable for every test. */
function seedOfThisRun(): number {
  return Number(process.env['GUARD_TEST_SEED']);
}
