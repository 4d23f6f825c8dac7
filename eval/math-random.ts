import { seededRandom } from '../test/kit/seeded-random.ts';

/**
 * Runs a synchronous function with `Math.random` replaced: header-generator takes its chances there
 * and offers no seed of its own.
 */
export function withSeededMathRandom<T>(seed: number, run: () => T): T {
  const original = Math.random;
  Math.random = seededRandom(seed).next;
  try {
    return run();
  } finally {
    Math.random = original;
  }
}
