import { expect, test } from 'vitest';
import { isInside, refusalOfHost } from './public-host.ts';

test('a host with one private address is refused, whatever its other addresses are', async () => {
  const leadsTo = (...addresses: string[]) =>
    refusalOfHost('https://a.example/x', () =>
      Promise.resolve(addresses.map((address) => ({ address }))),
    );
  expect(await leadsTo('1.1.1.1', '2606:4700::1111')).toBeUndefined();
  for (const inside of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
    expect(await leadsTo('1.1.1.1', inside)).toContain(`a.example resolves to ${inside}`);
  }
});

test('a host is private only if all of its addresses are', async () => {
  const inside = (...addresses: string[]) =>
    isInside('https://a.example/x', () =>
      Promise.resolve(addresses.map((address) => ({ address }))),
    );
  expect(await inside('10.0.0.1', 'fd00::1')).toBe(true);
  expect(await inside('1.1.1.1', '10.0.0.1')).toBe(false);
  expect(await inside()).toBe(false);
});

test('a host can be an IPv6 address', async () => {
  expect(await refusalOfHost('https://[2606:4700::1111]/x')).toBeUndefined();
  expect(await refusalOfHost('https://[fd00::1]/x')).toContain('resolves to fd00::1');
  expect(await isInside('https://[fd00::1]/x')).toBe(true);
});
