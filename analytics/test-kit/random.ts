/** A source of random choices that a seed repeats (mulberry32). */
export interface Random {
  readonly seed: number;
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Seeded by GUARD_TEST_SEED, else anew each run; the seed is printed, so that a failure comes back. */
export function createRandom(name: string): Random {
  const given = process.env['GUARD_TEST_SEED'];
  const seed = given === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(given);
  process.stdout.write(`${name}: GUARD_TEST_SEED=${seed}\n`);
  let state = seed;
  const int = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.trunc((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return { seed, int, pick: (items) => items[int(items.length)] ?? items[0] };
}
