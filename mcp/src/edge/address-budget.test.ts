import { expect, test } from 'vitest';
import { AddressBudget } from './address-budget.ts';

function budget() {
  let nowMs = 1_000_000;
  return {
    budget: new AddressBudget({ requests: 3, perMs: 3_000, clock: () => nowMs }),
    pass: (ms: number) => (nowMs += ms),
  };
}

test('a whole budget can be spent at once, and then it refills request by request', () => {
  const { budget: ours, pass } = budget();
  expect([1, 2, 3, 4].map(() => ours.take('192.0.2.1'))).toEqual([0, 0, 0, 1_000]);
  pass(999);
  expect(ours.take('192.0.2.1')).toBe(1);
  pass(1);
  expect([ours.take('192.0.2.1'), ours.take('192.0.2.1')]).toEqual([0, 1_000]);
});

test('a refused request takes nothing from the budget: after the returned wait the next request passes', () => {
  const { budget: ours, pass } = budget();
  for (let request = 0; request < 100; request += 1) ours.take('192.0.2.1');
  pass(ours.take('192.0.2.1'));
  expect(ours.take('192.0.2.1')).toBe(0);
});

test('each IPv4 address and each IPv6 /64 has one budget, in any spelling', () => {
  const { budget: ours } = budget();
  const spend = (...addresses: string[]) => addresses.map((address) => ours.take(address) > 0);
  expect(spend('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1')[3]).toBe(true);
  expect(spend('192.0.2.2')).toEqual([false]);
  expect(spend('2001:db8::1', '2001:db8::2', '2001:DB8::3', '2001:db8::4')[3]).toBe(true);
  expect(spend('2001:db8:0:1::1')).toEqual([false]);
  expect(spend('', 'unix', 'not an address', '…')[3]).toBe(true);
});

test('above 10,000 addresses, the least recently used address gets a full budget again', () => {
  const { budget: ours } = budget();
  const spendAll = (address: string) => {
    while (ours.take(address) === 0);
  };
  spendAll('192.0.2.1');
  spendAll('192.0.2.2');
  for (let visitorIndex = 0; visitorIndex < 9_999; visitorIndex += 1) {
    ours.take(`10.${visitorIndex >> 16}.${(visitorIndex >> 8) & 255}.${visitorIndex & 255}`);
  }
  expect([ours.take('192.0.2.2') > 0, ours.take('192.0.2.1') > 0]).toEqual([true, false]);
});
