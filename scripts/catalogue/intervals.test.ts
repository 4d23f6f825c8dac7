import { describe, expect, test } from 'vitest';
import { readPublicRanges } from '../../config/src/net/bogons.ts';
import { cidrsOf, spaceOf, subtract } from './intervals.ts';
import type { AddressSpace } from './intervals.ts';

const ANY = { v4: 0, v6: 0 };

function space(...cidrs: string[]): AddressSpace {
  const { ranges, refusals } = readPublicRanges(cidrs, ANY);
  expect(refusals).toEqual({ malformed: 0, bogon: 0, tooWide: 0 });
  return spaceOf(ranges);
}

describe('address spaces', () => {
  test('are written in the fewest ranges', () => {
    expect(cidrsOf(space('8.8.8.0/25', '8.8.8.128/25', '8.8.9.0/24', '8.8.11.1'), ANY)).toEqual({
      v4: ['8.8.8.0/23', '8.8.11.1/32'],
      v6: [],
    });
    expect(cidrsOf(space('2600::/33', '2600:0:8000::/33'), ANY).v6).toEqual(['2600::/32']);
  });

  test('are never written wider than the limit', () => {
    expect(cidrsOf(space('8.0.0.0/9', '8.128.0.0/9'), { v4: 9, v6: 0 }).v4).toEqual([
      '8.0.0.0/9',
      '8.128.0.0/9',
    ]);
  });

  test('lose exactly the subtracted addresses', () => {
    const remaining = subtract(
      space('8.8.8.0/24', '9.9.9.0/24'),
      space('8.8.8.64/26', '9.9.8.0/23'),
    );
    expect(cidrsOf(remaining, ANY).v4).toEqual(['8.8.8.0/26', '8.8.8.128/25']);
    expect(cidrsOf(subtract(space('2600::/32'), space('2600::/33')), ANY).v6).toEqual([
      '2600:0:8000::/33',
    ]);
  });
});
