import { randomInt } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { ipv6NetworkOf, networkOf } from './network-of.ts';

describe('the network of an address', () => {
  test.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['0.0.0.0', '0.0.0.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:0:0:1::', '2001:0:0:1::/64'],
    ['::1', '::/64'],
    ['0:0:0:1:1:1:1:1', '0:0:0:1::/64'],
  ])('of %s is %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  test('of an IPv6 address can also be a /56 or a /48', () => {
    expect(ipv6NetworkOf('2001:db8:1:2345::9', 56)).toBe('2001:db8:1:2300::/56');
    expect(ipv6NetworkOf('2001:db8:1:2345::9', 48)).toBe('2001:db8:1::/48');
    expect(ipv6NetworkOf('::1', 48)).toBe('::/48');
    expect(ipv6NetworkOf('2001:db8:1:2345::9', 32)).toBe('2001:db8::/32');
  });

  test('is spelled as in RFC 5952', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const bytes = Array.from({ length: 16 }, () => (randomInt(3) === 0 ? randomInt(256) : 0));
      const first = new ipaddr.IPv6([...bytes.slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]);
      const ip = new ipaddr.IPv6(bytes).toRFC5952String();
      expect(networkOf(ip), ip).toBe(`${first.toRFC5952String()}/64`);
    }
  });

  test('does not exist for text that is not an address', () => {
    expect(() => networkOf('localhost')).toThrow(TypeError);
    expect(() => networkOf('a::b::c')).toThrow(TypeError);
  });
});
