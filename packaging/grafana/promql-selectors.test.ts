import { expect, test } from 'vitest';
import { readPromql } from './promql-selectors.ts';

test('reads selectors, matchers and groupings', () => {
  const expression =
    'topk(10, sum by (reason, le) (rate(a_total{x="1", y!~"b,c{}"}[$__rate_interval]))) / (1 - max(b))';
  expect(readPromql(expression)).toEqual({
    selectors: [
      {
        metric: 'a_total',
        matchers: [
          { label: 'x', operator: '=', value: '1' },
          { label: 'y', operator: '!~', value: 'b,c{}' },
        ],
        ranged: true,
        within: 'rate',
      },
      { metric: 'b', matchers: [], ranged: false, within: 'max' },
    ],
    grouped: ['reason', 'le'],
  });
});

test.each([
  'rate(a_total[5m]',
  'a_total)',
  'a_total{x="1"',
  'a_total{x>"1"}',
  'a_total[5 minutes]',
  'average(a)',
  'sum without (x) (a)',
  'a; b',
])('%s is refused, because its labels are unknown', (expression) => {
  expect(() => readPromql(expression)).toThrow();
});
