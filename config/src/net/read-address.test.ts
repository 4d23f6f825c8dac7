import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { readAddress } from './read-address.ts';

function numbersOf(text: string): string {
  const { family, v4, v6 } = readAddress(text);
  if (family === 'none') return family;
  return family === 'v4' ? `v4 ${v4.toString(16)}` : `v6 ${[...v6].map(String).join(' ')}`;
}

type KnownAddress = readonly [text: string, numbers: string];

const KNOWN_ADDRESSES: readonly [KnownAddress, ...KnownAddress[]] = [
  ['192.0.2.1', 'v4 c0000201'],
  ['255.255.255.255', 'v4 ffffffff'],
  ['0.0.0.0', 'v4 0'],
  ['::ffff:192.0.2.1', 'v4 c0000201'],
  ['::ffff:c000:201', 'v4 c0000201'],
  ['2001:db8::1', 'v6 536939960 0 0 1'],
  ['::', 'v6 0 0 0 0'],
  ['192.0.2.256', 'none'],
  ['2001:db8::1%eth0', 'none'],
  ['', 'none'],
];

describe('an address as numbers', () => {
  test.each(KNOWN_ADDRESSES)('%j is %s', (text, numbers) => {
    expect(numbersOf(text)).toBe(numbers);
  });

  test('does not depend on the address that was read before, also when both are the same', () => {
    const random = seededRandom();
    for (let turn = 0; turn < 5_000; turn++) {
      const [text, numbers] = random.pick(KNOWN_ADDRESSES);
      expect(numbersOf(text), `seed ${random.seed}, turn ${turn}`).toBe(numbers);
    }
  });
});
