/**
 * Repeatable randomness for property tests. A run draws a new seed and prints it; `GUARD_TEST_SEED`
 * in the environment repeats one.
 */
export interface SeededRandom {
  readonly seed: number;
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

export function seededRandom(
  seed: number = Number(process.env['GUARD_TEST_SEED'] ?? Date.now() % 2 ** 31),
): SeededRandom {
  let state = seed >>> 0;
  // Mulberry32: small, and good enough to choose test inputs.
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return { seed, below, pick: (list) => list[below(list.length)] ?? list[0] };
}
