import { expect, test } from 'vitest';
import { refusalOfHost } from './public-host.ts';

test('a host with one address inside of a network is not asked, whatever its other addresses are', async () => {
  const leadsTo = (...addresses: string[]) =>
    refusalOfHost('https://a.example/x', () =>
      Promise.resolve(addresses.map((address) => ({ address }))),
    );
  expect(await leadsTo('1.1.1.1', '2606:4700::1111')).toBeUndefined();
  for (const inside of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
    expect(await leadsTo('1.1.1.1', inside)).toContain(`a.example leads to ${inside}`);
  }
});
