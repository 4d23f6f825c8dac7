/**
 * Repeatable randomness for property tests. The seed is that of the commit (`commit-seed.ts`), so each commit
 * tries other inputs and one commit always the same; `npm run fuzz` draws new seeds. `GUARD_TEST_SEED` repeats one.
 */
export interface SeededRandom {
  readonly seed: number;
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, but not including, `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
}

export function seededRandom(seed: number = seedOfThisRun()): SeededRandom {
  let state = seed >>> 0;
  // Mulberry32: small, and good enough to choose test inputs.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { seed, next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}

/** `npm run fuzz`: the tests that have a full length take it. */
export const isFullLength = process.env['GUARD_TEST_FULL'] === '1';

/** How often a property is tried: briefly in `npm test`, at its full length in `npm run fuzz`. */
export function rounds(brief: number, full: number): number {
  return isFullLength ? full : brief;
}

/** vitest.config.ts has set it for every test. */
function seedOfThisRun(): number {
  return Number(process.env['GUARD_TEST_SEED']);
}
