/** A reproducible source of numbers in [0, 1): mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs a synchronous function with `Math.random` replaced: header-generator takes its chances there
 * and offers no seed of its own.
 */
export function withSeededMathRandom<T>(seed: number, run: () => T): T {
  const original = Math.random;
  Math.random = seededRandom(seed);
  try {
    return run();
  } finally {
    Math.random = original;
  }
}
