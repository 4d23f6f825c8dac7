import { expect, test } from 'vitest';
import { isInside, refusalOfHost } from './public-host.ts';

test('a host with one private address is refused, whatever its other addresses are', async () => {
  const addressesOf = (...addresses: string[]) =>
    refusalOfHost('https://a.example/x', () =>
      Promise.resolve(addresses.map((address) => ({ address }))),
    );
  expect(await addressesOf('1.1.1.1', '2606:4700::1111')).toBeUndefined();
  for (const privateAddress of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
    expect(await addressesOf('1.1.1.1', privateAddress)).toContain(
      `a.example resolves to ${privateAddress}`,
    );
  }
});

test('a host is private only if all of its addresses are private', async () => {
  const isPrivate = (...addresses: string[]) =>
    isInside('https://a.example/x', () =>
      Promise.resolve(addresses.map((address) => ({ address }))),
    );
  expect(await isPrivate('10.0.0.1', 'fd00::1')).toBe(true);
  expect(await isPrivate('1.1.1.1', '10.0.0.1')).toBe(false);
  expect(await isPrivate()).toBe(false);
});

test('a host can be an IPv6 address', async () => {
  expect(await refusalOfHost('https://[2606:4700::1111]/x')).toBeUndefined();
  expect(await refusalOfHost('https://[fd00::1]/x')).toContain('resolves to fd00::1');
  expect(await isInside('https://[fd00::1]/x')).toBe(true);
});
