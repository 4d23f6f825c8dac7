import { expect, it } from 'vitest';
import { recognise } from './search.ts';

it('writes an IPv6 network as the database does', () => {
  expect(recognise('2001:DB8:1::/48')).toEqual({ kind: 'network', value: '2001:db8:1::/48' });
});
