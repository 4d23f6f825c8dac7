import { describe, expect, test } from 'vitest';
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
  ])('%j is none', (text) => {
    expect(parseIp(text)).toBeUndefined();
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
