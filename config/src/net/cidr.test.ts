import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { isIpOrCidr, parseIp } from './cidr.ts';

describe('one IP address in its canonical spelling', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::', '::'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is %s', (text, canonical) => {
    expect(parseIp(text)).toBe(canonical);
  });

  test.each([
    '',
    ' 192.0.2.1',
    '192.0.2.1 ',
    '192.0.2',
    '192.0.2.1.5',
    '192.0.2.256',
    '192.0.02.1',
    '0300.0.2.1',
    '0x7f.0.0.1',
    '3221225985',
    '192.0.2.1:443',
    '[2001:db8::1]',
    '2001:db8::1::2',
    '2001:db8::g',
    '192.0.2.1, 192.0.2.2',
    '192.0.2.0/24',
    'localhost',
  ])('%j is not an IP address', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('an IPv6 address', () => {
  test('gets the spelling of RFC 5952 and ipaddr.js from every other spelling', () => {
    const random = seededRandom();
    for (let round = 0; round < 5_000; round += 1) {
      const groups = Array.from({ length: 8 }, () =>
        random.below(2) === 0 ? 0 : random.below(random.pick([16, 256, 65_536])),
      );
      const address = new ipaddr.IPv6(groups);
      const expected = address.isIPv4MappedAddress()
        ? address.toIPv4Address().toString()
        : address.toRFC5952String();
      for (const text of [address.toNormalizedString(), address.toString()]) {
        expect(parseIp(text.toUpperCase()), `${text}, seed ${random.seed}`).toBe(expected);
        expect(parseIp(`${text}%eth0`)).toBe(expected);
      }
    }
  });

  test('is valid exactly when ipaddr.js accepts it, except for a dotted tail with leading zeros', () => {
    const random = seededRandom();
    const pieces = [
      '',
      ':',
      '::',
      '0',
      'ffff',
      '1.2.3.4',
      '12345',
      'g',
      '%',
      'eth0',
      '.',
      '/',
      ' ',
    ] as const;
    for (let round = 0; round < 20_000; round += 1) {
      let text = '';
      for (let piece = random.below(9); piece >= 0; piece -= 1) {
        text += random.pick(pieces) + (random.below(2) === 0 ? ':' : '');
      }
      // 010.0.0.1 is octal to some readers and decimal to others, so it is ambiguous.
      const hasLeadingZeros = text.includes('.') && /(?:^|[:.])0\d+(?:\.|%|$)/.test(text);
      const isValid =
        !hasLeadingZeros && (ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text));
      expect(parseIp(text) !== undefined, `${JSON.stringify(text)}, seed ${random.seed}`).toBe(
        isValid,
      );
    }
  });
});

test.each([
  ['192.0.2.1', true],
  ['192.0.2.0/24', true],
  ['2001:db8::/32', true],
  ['192.0.2.0/33', false],
  ['192.0.2/24', false],
  ['192.0.2.0/', false],
  ['any', false],
])('%s as an address or range: %s', (text, valid) => {
  expect(isIpOrCidr(text)).toBe(valid);
});
