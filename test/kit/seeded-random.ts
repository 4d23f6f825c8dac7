/**
 * Repeatable randomness for property tests. A run draws a new seed and prints it; `GUARD_TEST_SEED`
 * in the environment repeats one.
 */
export interface SeededRandom {
  readonly seed: number;
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, but not including, `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
}

export function seededRandom(
  seed: number = Number(process.env['GUARD_TEST_SEED'] ?? Date.now() % 2 ** 31),
): SeededRandom {
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
