import { expect, test } from 'vitest';
import { HOME_IP, chromeHttps } from '../../../test/kit/visitors.ts';
import { proxyHeadersSignal } from './proxy-headers.ts';
import { changed, claimOf, factsOf } from './testing/facts.ts';

const found = (changes: Record<string, string>) =>
  proxyHeadersSignal(factsOf(changed(chromeHttps, changes)));

test.each([
  [{ via: '1.1 proxy.corp.example' }],
  [{ 'proxy-connection': 'keep-alive' }],
  [{ 'x-forwarded-for': '198.18.0.1' }],
  [{ forwarded: 'for=198.18.0.1' }],
])('a visitor’s own words about a proxy: %j (contract 2.2, suspicious_network)', (changes) => {
  expect(found(changes)).toEqual(['proxy_headers']);
});

test('a field with the visitor’s address was written by a proxy of the site', () => {
  expect(found({ 'x-forwarded-for': `${HOME_IP}, 10.0.0.1` })).toEqual([]);
  expect(found({ forwarded: `for=${HOME_IP};proto=https` })).toEqual([]);
  expect(found({})).toEqual([]);
});

test('a verified crawler is not asked', () => {
  const crawler = claimOf({ proof: 'verified', verified: true });
  expect(proxyHeadersSignal(factsOf(changed(chromeHttps, { via: '1.1 x' }), { crawler }))).toEqual(
    [],
  );
});
