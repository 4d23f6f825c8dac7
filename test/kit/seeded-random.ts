/**
 * Repeatable randomness for property tests. Every run takes the same seed, so that a change is judged
 * by the change; `npm run fuzz` draws new ones, and `GUARD_TEST_SEED` repeats the one that it printed.
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

function seedOfThisRun(): number {
  const told = process.env['GUARD_TEST_SEED'] ?? '20';
  return told === 'new' ? Date.now() % 2 ** 31 : Number(told);
}
