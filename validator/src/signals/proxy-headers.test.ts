import { expect, test } from 'vitest';
import { HOME_IP, chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import { proxyHeadersSignal } from './proxy-headers.ts';
import { changeHeaders, claimOf, factsOf } from './testing/facts.ts';

const reasonsFor = (changes: Record<string, string>) =>
  proxyHeadersSignal(factsOf(changeHeaders(chromeHttps, changes)));

test.each([
  [{ via: '1.1 proxy.corp.example' }],
  [{ 'proxy-connection': 'keep-alive' }],
  [{ 'x-forwarded-for': '198.18.0.1' }],
  [{ forwarded: 'for=198.18.0.1' }],
])(
  'a proxy header that the visitor sent is a finding: %j (contract 2.2, suspicious_network)',
  (changes) => {
    expect(reasonsFor(changes)).toEqual(['proxy_headers']);
  },
);

test('a field with the visitor’s address is no finding, because a proxy of the site wrote it', () => {
  expect(reasonsFor({ 'x-forwarded-for': `${HOME_IP}, 10.0.0.1` })).toEqual([]);
  expect(reasonsFor({ forwarded: `for=${HOME_IP};proto=https` })).toEqual([]);
  expect(reasonsFor({})).toEqual([]);
});

test('a verified crawler can send proxy headers', () => {
  const crawler = claimOf({ proof: 'verified', verified: true });
  expect(
    proxyHeadersSignal(factsOf(changeHeaders(chromeHttps, { via: '1.1 x' }), { crawler })),
  ).toEqual([]);
});
