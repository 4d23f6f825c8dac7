import { expect, test } from 'vitest';
import { countAbove, percentile, peaksOf } from './histogram.ts';
import { barsOf, roundUp, ticksTo } from './series.ts';

const peaks = peaksOf([
  ['1', '90', '200', ['a']],
  ['5', '9', '80', ['b', 'c']],
  ['100', '1', '4000', ['d']],
]);

test.each([
  [0.5, 1],
  [0.9, 1],
  [0.95, 5],
  [0.99, 5],
  [1, 100],
])('the percentile of the share %f is %d', (share, limit) => {
  expect(percentile(peaks, share)).toBe(limit);
});

test('without peaks the percentile is 0', () => {
  expect(percentile([], 0.5)).toBe(0);
});

test('a limit stops peaks above the limit, and no peaks that are equal to it', () => {
  expect(countAbove(peaks, 5)).toEqual({
    number: 1,
    requests: 4000,
    top: [{ visitor: 'd', peak: 100 }],
  });
  expect(countAbove(peaks, 4).top.map(({ visitor }) => visitor)).toEqual(['d', 'b', 'c']);
  expect(countAbove(peaks, 100).number).toBe(0);
});

test('rows become bars: the verdicts are in order, the earlier period is shifted, and changes of the settings are marked', () => {
  const rows = [
    [0, '50', 'allow', '7', ['old']],
    [1, '100', 'block', '1', ['old']],
    [1, '100', 'allow', '2', ['old']],
    [1, '150', 'allow', '3', ['old', 'new']],
    [1, '999', 'allow', '3', []],
  ];
  const bars = barsOf(rows, { from: 100, to: 200, stepMs: 50, compare: true });
  expect(bars.starts).toEqual([100, 150]);
  expect(bars.series).toEqual([
    { name: 'allow', values: [2, 3], total: 5 },
    { name: 'block', values: [1, 0], total: 1 },
  ]);
  expect(bars.earlier).toEqual([0, 7]);
  expect(bars.changes).toEqual([{ at: 150, revision: 'new' }]);
});

test.each([
  [0, 1],
  [7, 8],
  [101, 150],
  [9999, 10_000],
])('an axis up to %d ends at %d', (value, top) => {
  expect(roundUp(value)).toBe(top);
});

test.each([
  [1, [0, 1]],
  [5, [0, 5]],
  [150, [0, 75, 150]],
])('an axis that ends at %d has only whole numbers: %j', (top, ticks) => {
  expect(ticksTo(top)).toEqual(ticks);
});
