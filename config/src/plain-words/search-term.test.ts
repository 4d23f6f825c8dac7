import { expect, test } from 'vitest';
import { parseSearchTerm } from './search-term.ts';

test('parseSearchTerm writes an IPv6 network in the same form as the database', () => {
  expect(parseSearchTerm('2001:DB8:1::/48')).toEqual({ kind: 'network', value: '2001:db8:1::/48' });
});

test('parseSearchTerm reads a code in the forms in which people write it down: in small letters, with gaps, O for 0, and I or L for 1', () => {
  expect(parseSearchTerm(' ho1-l33fi ')).toEqual({ kind: 'reference', value: 'H01133F1' });
});
