import { describe, expect, test } from 'vitest';
import { readPublicRanges } from './bogons.ts';

const WIDEST_RANGES = { v4: 12, v6: 19 };

describe('a list of public addresses', () => {
  test.each([
    ['this network', '0.1.2.3/32'],
    ['private, RFC 1918', '10.1.0.0/16'],
    ['private, RFC 1918', '172.31.255.255/32'],
    ['private, RFC 1918', '192.168.1.0/24'],
    ['carrier-grade NAT, RFC 6598', '100.127.0.0/24'],
    ['loopback', '127.0.0.1'],
    ['link-local', '169.254.169.254/32'],
    ['documentation, RFC 5737', '192.0.2.0/24'],
    ['documentation, RFC 5737', '198.51.100.7/32'],
    ['documentation, RFC 5737', '203.0.113.0/24'],
    ['a wider range around documentation addresses', '203.0.112.0/22'],
    ['benchmarking', '198.19.0.0/16'],
    ['IETF protocol assignments', '192.0.0.8/32'],
    ['6to4 relay', '192.88.99.1/32'],
    ['multicast', '239.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::/128'],
    ['loopback', '::1'],
    ['Teredo', '2001:0:1::/48'],
    ['6to4', '2002:c000::/24'],
    ['documentation, RFC 3849', '2001:db8::/32'],
    ['documentation, RFC 9637', '3fff::/20'],
    ['NAT64', '64:ff9b::/96'],
    ['discard-only', '100::/64'],
    ['segment routing', '5f00::/24'],
    ['site-local', 'fec0::/48'],
    ['unique local', 'fd00::/48'],
    ['link-local', 'fe80::1'],
    ['multicast', 'ff02::1'],
    ['private, v4-mapped', '::ffff:10.0.0.0/112'],
  ])('must not contain a special-purpose address (RFC 6890): %s, %s', (_, cidr) => {
    expect(readPublicRanges([cidr], WIDEST_RANGES)).toEqual({
      ranges: [],
      refusals: { malformed: 0, bogon: 1, tooWide: 0 },
    });
  });

  test('drops and counts ranges that are too wide, and text that is not a range', () => {
    const { ranges, refusals } = readPublicRanges(
      ['8.0.0.0/11', '2600::/18', '0.0.0.0/0', 'example.com', '8.8.8.0/24', '2600:1f00::/24'],
      WIDEST_RANGES,
    );
    expect(ranges).toHaveLength(2);
    expect(refusals).toEqual({ malformed: 1, bogon: 0, tooWide: 3 });
  });

  test.each([
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.0/16',
    '192.0.3.0/24',
    '223.255.255.0/24',
    '2001:200::/23',
  ])('can contain neighbours of special-purpose addresses: %s', (cidr) => {
    expect(readPublicRanges([cidr], WIDEST_RANGES).ranges).toHaveLength(1);
  });
});
