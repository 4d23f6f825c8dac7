import { expect, test } from 'vitest';
import { parseSearchTerm } from '@guard/config/plain-words/search-term';
import { formatUrl, parseUrl, rangeOf, START, type UrlState, withFilter } from './url-state.ts';

test('a URL keeps every value of its state', () => {
  const state: UrlState = {
    ...START,
    view: 'events',
    site: 'shop & co',
    period: { from: 1000, to: 2000 },
    basis: 'concluded',
    compare: true,
    split: 'asn',
    chart: 'rates',
    lists: 'networks',
    grouped: true,
    filters: [
      { field: 'path', value: '/a?b=c&is=rule:x#\'"<script>:é', exclude: false },
      { field: 'address', value: '2001:db8::1', exclude: true },
      { field: 'rule', value: '', exclude: false },
    ],
    before: '1500.0190c6f0-0000-7000-8000-000000000000',
    event: '0190c6f0-0000-7000-8000-000000000000',
    reference: 'K7QM2X9D',
  };
  const parsedState = parseUrl(formatUrl(state));
  expect(new Set(parsedState.filters)).toEqual(new Set(state.filters));
  expect({ ...parsedState, filters: [] }).toEqual({ ...state, filters: [] });
  expect(formatUrl(START)).toBe('');
});

test.each([
  '?view=__proto__&period=2h&split=constructor',
  '?is=toString:x&is=unknown:y&not=nothing&is=',
  "?event=' OR 1=1&reference='; DROP&before=1.x'",
  '?from=2000&to=1000&from=x',
  '?from=0&to=99999999999999999',
])('the invalid and unknown values of %s are ignored', (search) => {
  expect(parseUrl(search)).toEqual(START);
});

test('a period that ends now moves with the time, and a range does not move', () => {
  expect(rangeOf('1h', 7_200_000)).toEqual({ from: 3_600_000, to: 7_200_000 });
  expect(rangeOf({ from: 1, to: 2 }, 7_200_000)).toEqual({ from: 1, to: 2 });
});

test('an excluded value is no longer a filter, and the list starts again at its first page', () => {
  const state = withFilter(
    { ...START, before: '5' },
    { field: 'rule', value: 'a', exclude: false },
  );
  const excluded = withFilter(state, { field: 'rule', value: 'a', exclude: true });
  expect(excluded.filters).toEqual([{ field: 'rule', value: 'a', exclude: true }]);
  expect(excluded.before).toBe('');
});

test.each([
  ['k7qm 2x9d', 'reference', 'K7QM2X9D'],
  ['203.0.113.7', 'address', '203.0.113.7'],
  ['2001:DB8::1', 'address', '2001:db8::1'],
  ['203.0.113.0/24', 'network', '203.0.113.0/24'],
  ['6b1f0d9c2e7a48358c5d1e9f70a2b4c6', 'session', '6b1f0d9c2e7a48358c5d1e9f70a2b4c6'],
  ['0190c6f0-0000-7000-8000-000000000000', 'request', '0190c6f0-0000-7000-8000-000000000000'],
  ['/products', 'path', '/products'],
  ['login', 'path', '/login'],
])('the search %s is understood as a %s', (text, kind, value) => {
  expect(parseSearchTerm(text)).toEqual({ kind, value });
});
