import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { AddressMap } from './address-map.ts';

/**
 * A map of these runs. A run of IPv4 addresses starts at a number. A run of IPv6 addresses starts at the two words of
 * the upper half.
 */
function mapOf(
  v4: readonly (readonly [start: number, value: number])[],
  v6: readonly (readonly [high: number, low: number, value: number])[] = [],
): AddressMap {
  return new AddressMap({
    v4: {
      starts: Uint32Array.from(v4, ([start]) => start),
      values: Uint32Array.from(v4, ([, value]) => value),
    },
    v6: {
      highs: Uint32Array.from(v6, ([high]) => high),
      lows: Uint32Array.from(v6, ([, low]) => low),
      values: Uint32Array.from(v6, ([, , value]) => value),
    },
  });
}

function dottedText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

describe('a map of addresses', () => {
  const map = mapOf(
    [
      [0x01000000, 7],
      [0x01000100, 0],
      [0xffffff00, 9],
    ],
    [
      [0x20010db8, 0, 11],
      [0x20010db8, 0x80000000, 12],
      [0x20010db9, 0, 0],
    ],
  );

  test.each([
    ['0.255.255.255', 0],
    ['1.0.0.0', 7],
    ['1.0.0.255', 7],
    ['1.0.1.0', 0],
    ['255.255.254.255', 0],
    ['255.255.255.255', 9],
    ['2001:db7:ffff:ffff::', 0],
    ['2001:db8::1', 11],
    ['2001:db8:7fff:ffff:ffff::1', 11],
    ['2001:db8:8000::', 12],
    ['2001:db9::', 0],
    ['ffff::', 0],
    ['::ffff:1.0.0.1', 7],
    ['not an address', 0],
    ['', 0],
  ])('gives for %s the value of its run: %d', (ip, value) => {
    expect(map.numberAt(ip)).toBe(value);
  });

  test('of nothing is empty', () => {
    expect(mapOf([]).numberAt('192.0.2.1')).toBe(0);
    expect(mapOf([]).numberAt('2001:db8::1')).toBe(0);
  });

  test('gives the same result as a linear search', () => {
    const random = seededRandom();
    const starts = new Set<number>();
    while (starts.size < 2_000) starts.add(random.below(2 ** 20) * 4096);
    const runs = [...starts]
      .toSorted((a, b) => a - b)
      .map((start) => [start, random.below(4)] as const);
    const largeMap = mapOf(runs);
    for (let round = 0; round < 5_000; round += 1) {
      const address = random.below(2 ** 32);
      const run = runs.findLast(([start]) => start <= address);
      expect(largeMap.numberAt(dottedText(address)), `seed ${random.seed}`).toBe(run?.[1] ?? 0);
    }
  });
});
