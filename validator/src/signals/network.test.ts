import { expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import { networkSignal } from './network.ts';
import { factsOf } from './testing/facts.ts';

test.each([
  ['datacenter', 'datacenter_ip'],
  ['vpn', 'vpn_ip'],
  ['tor', 'tor_ip'],
] as const)(
  'an address of kind %s has the finding %s (contract 2.2, suspicious_network)',
  (network, reason) => {
    expect(networkSignal(factsOf(chromeHttps, { network }))).toEqual([reason]);
  },
);

test('an address of no list has no finding', () => {
  expect(networkSignal(factsOf(chromeHttps))).toEqual([]);
});
