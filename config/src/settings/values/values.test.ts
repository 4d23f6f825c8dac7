import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  Duration,
  ExpiryDate,
  HostPattern,
  KeyHash,
  Listen,
  OriginAddress,
  SealingSecret,
} from './values.ts';

function parseValue(schema: z.ZodType, text: string): unknown {
  const result = schema.safeParse(text);
  return result.success ? result.data : 'refused';
}

test.each([
  ['400ms', 400],
  ['30s', 30_000],
  ['5m', 300_000],
  ['12h', 43_200_000],
  ['14d', 1_209_600_000],
  ['0s', 'refused'],
  ['5', 'refused'],
  ['1.5s', 'refused'],
  ['5 m', 'refused'],
  ['1w', 'refused'],
])('the duration %s is read as %s milliseconds', (text, expected) => {
  expect(parseValue(Duration, text)).toBe(expected);
});

test.each([
  ['0.0.0.0:80', { kind: 'tcp', host: '0.0.0.0', port: 80 }],
  ['[::1]:0', { kind: 'tcp', host: '::1', port: 0 }],
  ['unix:/run/a b.sock', { kind: 'unix', path: '/run/a b.sock' }],
  ['localhost', 'refused'],
  ['a:65536', 'refused'],
  ['::1:80', 'refused'],
  ['unix:', 'refused'],
])('the address %s is read as %j', (text, expected) => {
  expect(parseValue(Listen, text)).toEqual(expected);
});

test.each([
  ['http://a:3000', ['http://a:3000', false, 'a', 3000]],
  ['https://A.example/', ['https://a.example', true, 'a.example', 443]],
  ['http://[::1]:80', ['http://[::1]', false, '::1', 80]],
  ['http://a/b', 'refused'],
  ['http://u:p@a', 'refused'],
  ['a:3000', 'refused'],
])('the origin %s is read as %j', (text, expected) => {
  const [origin, isSecure, host, port] = expected;
  const url = { kind: 'url', origin, isSecure, host, port };
  expect(parseValue(OriginAddress, text)).toEqual(expected === 'refused' ? expected : url);
});

test.each([
  ['2027-06-30', Date.UTC(2027, 6, 1)],
  ['2028-02-29', Date.UTC(2028, 2, 1)],
  ['2027-02-29', 'refused'],
  ['2027-13-01', 'refused'],
  ['30.6.2027', 'refused'],
])('the expiry date %s is read as %s, the end of that day', (text, expected) => {
  expect(parseValue(ExpiryDate, text)).toBe(expected);
});

test.each([
  ['Shop.Example.', 'shop.example'],
  ['*.Shop.example', '*.shop.example'],
  ['*', '*'],
  ['[2001:DB8:0::1]', '[2001:db8::1]'],
  ['my_host-1', 'my_host-1'],
  ['shop.example:80', 'refused'],
  ['[::1]:80', 'refused'],
  ['*shop.example', 'refused'],
  ['a.*.example', 'refused'],
  ['*.', 'refused'],
  ['', 'refused'],
  ['-a', 'refused'],
  ['a..b', 'refused'],
  ['http://a', 'refused'],
  ['bücher.example', 'refused'],
])('the host %s is read as %s', (text, expected) => {
  expect(parseValue(HostPattern, text)).toBe(expected);
});

describe('a key is kept as its SHA-256, whether it is written in plain text or as a hash', () => {
  const hash = createHash('sha256').update('sk_live_91827364').digest();
  test('both give the same hash', () => {
    expect(parseValue(KeyHash, 'sk_live_91827364')).toEqual(hash);
    expect(parseValue(KeyHash, `sha256:${hash.toString('hex').toUpperCase()}`)).toEqual(hash);
  });
  test.each(['short', 'sha256:abc', 'with a space', 'über-key-123', 'x'.repeat(257)])(
    '%s is refused',
    (text) => {
      expect(parseValue(KeyHash, text)).toBe('refused');
    },
  );
});

describe('placeholders of examples are refused', () => {
  test.each([
    'changeme-changeme-changeme',
    'CHANGE_ME_PLEASE_1234567',
    'your-secret-key-goes-here',
    '<put your secret here>',
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    'abababababababababababab',
    '00000000-0000-0000-0000-000000000000',
    'testtesttesttesttest',
  ])('%s', (secret) => {
    expect(parseValue(SealingSecret, secret)).toBe('refused');
  });
  test.each([
    '9f2c7b1e5a8d4036c1e7f4b2a9d85036',
    'correct horse battery staple',
    '0123456789abcdef0123456789abcdef',
    'test-secret-0123456789',
  ])('%s is not refused', (secret) => {
    expect(parseValue(SealingSecret, secret)).toBe(secret);
  });
});
