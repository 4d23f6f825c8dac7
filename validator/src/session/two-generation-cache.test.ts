import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { TwoGenerationCache } from './two-generation-cache.ts';

describe('a bounded map that forgets unused entries', () => {
  test('never exceeds its limit', () => {
    const cache = new TwoGenerationCache<number>(10);
    for (let number = 0; number < 1_000; number++) {
      cache.set(`k${number}`, number);
      expect(cache.size).toBeLessThanOrEqual(10);
      expect(cache.get(`k${number}`)).toBe(number);
    }
    expect(cache.size).toBe(10);
    expect(cache.get('k0')).toBeUndefined();
  });

  test('keeps an entry while it is used', () => {
    const cache = new TwoGenerationCache<string>(10);
    cache.set('regular', 'visitor');
    for (let number = 0; number < 1_000; number++) {
      cache.set(`k${number}`, 'passer-by');
      if (number % 4 === 0) expect(cache.get('regular')).toBe('visitor');
    }
    expect(cache.get('regular')).toBe('visitor');
  });

  test('returns the last value, even for an entry of the old generation', () => {
    const cache = new TwoGenerationCache<number>(4);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('c', 3);
    cache.set('a', 4);
    expect(cache.get('a')).toBe(4);
    expect(cache.size).toBe(3);
  });

  test('never forgets the most recently used half, and never returns a wrong value', () => {
    const random = seededRandom();
    const max = 16;
    const cache = new TwoGenerationCache<number>(max);
    const model = new Map<string, number>();
    for (let turn = 0; turn < 20_000; turn++) {
      const key = `k${random.below(40)}`;
      const known = model.get(key);
      if (random.below(2) === 0) {
        const recent = [...model.keys()].slice(-max / 2);
        const found = cache.get(key);
        const message = `seed ${random.seed}, turn ${turn}`;
        if (found === undefined) expect(recent, message).not.toContain(key);
        else expect(found, message).toBe(known);
        if (found === undefined || known === undefined) continue;
        model.delete(key);
        model.set(key, known);
      } else {
        cache.set(key, turn);
        model.delete(key);
        model.set(key, turn);
      }
      expect(cache.size).toBeLessThanOrEqual(max);
    }
  });

  test('lists an entry that stays, even when the generations change during the listing', () => {
    const cache = new TwoGenerationCache<number>(20);
    for (let i = 0; i < 10; i++) cache.set(`k${i}`, i);
    const listedKeys = new Set<string>();
    for (const [key] of cache.entries()) {
      listedKeys.add(key);
      // The young generation is full. So it becomes the old generation, and used entries move into the new one.
      if (listedKeys.size === 1) cache.set('other', 10);
      if (listedKeys.size === 1) cache.get('k9');
    }
    expect([...listedKeys].sort()).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `k${i}`),
      'other',
    ]);
  });
});
