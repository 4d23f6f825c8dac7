import { describe, expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { readPublicRanges } from './bogons.ts';
import { formatIpv4, formatIpv6 } from './format-address.ts';
import { addressUse, isLoopbackHost } from './special-address.ts';

describe('RFC 6890: the use of an address', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.169.254', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:a00:1', 'private'],
    ['fd00::1', 'private'],
    ['fe80::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['0.0.0.0', 'special'],
    ['::', 'special'],
    ['203.0.113.7', 'special'],
    ['2001:db8::1', 'special'],
    ['64:ff9b::808:808', 'special'],
    ['2002::1', 'special'],
    ['fec0::1', 'special'],
    ['255.255.255.255', 'special'],
    ['8.8.8.8', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['2606:4700::1', 'public'],
    ['127.1', undefined],
    ['0x7f.0.0.1', undefined],
    ['localhost', undefined],
    ['', undefined],
  ])('of %s is %s', (address, use) => {
    expect(addressUse(address)).toBe(use);
  });

  test('agrees with the ranges that a list of public addresses must not contain', () => {
    const random = seededRandom();
    const word = () => random.below(2 ** 32);
    // Half of the addresses begin like special IPv6 addresses.
    const firstWord = () =>
      random.pick([word(), 0x20010000 + random.below(2 ** 25), 0x3fff0000, 0x5f000000]);
    const RESERVED = /^(?:[0-9a-f]{0,2}:|::|1[0-9a-f]{2}:)/;
    for (let round = 0; round < rounds(2_000, 200_000); round++) {
      const v4 = formatIpv4(word());
      const v6 = formatIpv6(Uint32Array.of(firstWord(), word(), word(), word()));
      for (const address of RESERVED.test(v6) ? [v4] : [v4, v6]) {
        const { refusals } = readPublicRanges([address], { v4: 0, v6: 0 });
        const isPublic = addressUse(address) === 'public';
        expect(refusals.bogon, `seed ${random.seed}: ${address}`).toBe(isPublic ? 0 : 1);
      }
    }
  });
});

test.each([
  '127.0.0.1',
  '127.8.9.1',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
  'LOCALHOST.',
])('RFC 1122, RFC 4291, RFC 6761: %s is an address of this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  '127.0.0.1.example',
  '::ffff:10.0.0.1',
  '[::2]',
  'guard',
  'localhost.example',
])('other machines can reach %s', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});
