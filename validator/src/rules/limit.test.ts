import { sessionDigest } from '@guard/config/contract/session-digest';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, HOME_IP, visit } from '../../../test/kit/visitors/visitors.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';

async function countPassing(
  { ask }: TestValidator,
  count: number,
  requestOf: (index: number) => ValidateRequest,
) {
  let passedCount = 0;
  for (let i = 0; i < count; i++)
    if ((await ask(requestOf(i))).rate_limited !== true) passedCount += 1;
  return passedCount;
}

function limitedBy(by: string, requests = 3): TestValidator {
  return validatorWith(
    `[{ name: budget, match: {}, rate_limit: { requests: ${requests}, per: 1m, by: ${by} } }]`,
  );
}

/** Stores a session that passed its challenge, and returns its id. */
function keepVerified({ store, time }: TestValidator, id: string): string {
  const session = verifiedSession({ judgedAt: time.now });
  store.keepSession(id, session, 3_600_000);
  return id;
}

const uuid = (first: number) =>
  `${first.toString(16).padStart(8, '0')}-d9cb-869f-8165-70867728950e`;

describe('rate_limit by: ip', () => {
  test('each IPv4 address has its own budget', async () => {
    const guard = limitedBy('ip');
    expect(await countPassing(guard, 4, () => visit())).toBe(3);
    expect(await countPassing(guard, 1, () => visit({ ip: '84.115.20.8' }))).toBe(1);
  });

  test('an IPv6 visitor is counted by the /64 in every spelling, and a v4-mapped address by its IPv4 address', async () => {
    const { ask } = limitedBy('ip', 1);
    await ask(visit({ ip: '2a02:1748:1:1::1' }));
    expect((await ask(visit({ ip: '2A02:1748:0001:1:ffff::9' }))).rate_limited).toBe(true);
    await ask(visit());
    expect((await ask(visit({ ip: `::ffff:${HOME_IP}` }))).rate_limited).toBe(true);
  });
});

describe('rate_limit by: session', () => {
  test('each session that passed a challenge has its own budget, even when several share one address', async () => {
    const guard = limitedBy('session');
    const [first, second] = [keepVerified(guard, uuid(1)), keepVerified(guard, uuid(2))];
    expect(await countPassing(guard, 4, () => visit({ cookie: first }))).toBe(3);
    expect(await countPassing(guard, 1, () => visit({ cookie: second }))).toBe(1);
  });

  test('one session has only one budget at all its addresses', async () => {
    const guard = limitedBy('session');
    const cookie = keepVerified(guard, uuid(1));
    expect(await countPassing(guard, 4, (i) => visit({ cookie, ip: `84.115.20.${i}` }))).toBe(3);
  });

  test('a visitor without a cookie is counted by address', async () => {
    expect(await countPassing(limitedBy('session'), 4, () => visit())).toBe(3);
  });

  test('a visitor with a new cookie for each request is counted by address', async () => {
    const guard = limitedBy('session');
    const otherGuard = limitedBy('session', 1_000);
    const issuedCookies: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { cookies = [] } = await otherGuard.ask(visit());
      issuedCookies.push(...cookies.map(({ value }) => value));
    }
    expect(new Set(issuedCookies).size).toBe(5);
    const answers = [];
    for (const cookie of issuedCookies) answers.push(await guard.ask(visit({ cookie })));
    expect(guard.events.map(({ session }) => session)).toEqual(issuedCookies.map(sessionDigest));
    expect(answers.map(({ rate_limited }) => rate_limited === true)).toEqual([
      ...[false, false, false],
      ...[true, true],
    ]);
  });

  test('a visitor with invented cookies is counted by address', async () => {
    expect(await countPassing(limitedBy('session'), 4, (i) => visit({ cookie: uuid(i) }))).toBe(3);
  });

  test('a visitor with the session of another browser is counted by address', async () => {
    const guard = limitedBy('session', 1);
    const cookie = keepVerified(guard, uuid(1));
    const headers = { ...chromeHttps, 'user-agent': 'another browser' };
    await guard.ask(visit({ cookie, headers }));
    expect((await guard.ask(visit({ headers }))).rate_limited).toBe(true);
  });
});

describe('rate_limit by: header:<name>', () => {
  const withKey = (key: string, changes = {}) =>
    visit({ headers: { ...chromeHttps, 'x-api-client': key }, ...changes });

  test('each value has its own budget, and the case of the name has no effect', async () => {
    const guard = limitedBy('header:x-API-client');
    expect(await countPassing(guard, 4, (i) => withKey('one', { ip: `84.115.20.${i}` }))).toBe(3);
    expect(await countPassing(guard, 1, () => withKey('two'))).toBe(1);
  });

  test('long values with the same beginning have separate budgets', async () => {
    const { ask } = limitedBy('header:x-api-client', 1);
    const long = 'x'.repeat(5_000);
    await ask(withKey(`${long}1`));
    expect((await ask(withKey(`${long}2`))).rate_limited).toBeUndefined();
    expect((await ask(withKey(`${long}1`))).rate_limited).toBe(true);
  });

  test('a visitor without the header is counted by address, and uses up no other budget', async () => {
    const { ask } = limitedBy('header:x-api-client', 1);
    await ask(visit());
    expect((await ask(visit())).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '84.115.20.8' }))).rate_limited).toBeUndefined();
    expect((await ask(withKey(HOME_IP))).rate_limited).toBeUndefined();
  });

  test('a header can have the name of an inherited property', async () => {
    const { ask } = limitedBy('header:constructor', 1);
    expect((await ask(visit())).decision).toBe('allow');
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('the key of the counter does not contain the value, because the value can be a credential', async () => {
    const { ask, store } = limitedBy('header:authorization');
    const keys: string[] = [];
    const take = store.take.bind(store);
    store.take = (name, subject, budget) => {
      keys.push(`${name} ${subject}`);
      return take(name, subject, budget);
    };
    await ask(visit({ headers: { ...chromeHttps, authorization: 'Bearer very-secret' } }));
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toContain('very-secret');
  });
});

describe('rate_limit by a list: a request must fit all budgets', () => {
  test('two headers with equal values are two counters', async () => {
    const guard = limitedBy('[header:x-device, header:x-api-client]', 2);
    const headers = { ...chromeHttps, 'x-device': 'one', 'x-api-client': 'one' };
    expect(await countPassing(guard, 3, () => visit({ headers }))).toBe(2);
  });

  const requestOfDevice = (name: string, ip = HOME_IP) =>
    visit({ ip, headers: { ...chromeHttps, 'x-device': name } });

  test('one session at many addresses has the budget of one session', async () => {
    const guard = limitedBy('[ip, session]');
    const cookie = keepVerified(guard, uuid(1));
    expect(await countPassing(guard, 20, (i) => visit({ cookie, ip: `84.115.${i}.7` }))).toBe(3);
  });

  test('many sessions at one address have the budget of one address', async () => {
    const guard = limitedBy('[ip, session]');
    const requestOf = (i: number) => visit({ cookie: keepVerified(guard, uuid(i)) });
    expect(await countPassing(guard, 20, requestOf)).toBe(3);
  });

  test('many sessions at many addresses have the sum of session budgets or the sum of address budgets, whichever is smaller', async () => {
    const guard = limitedBy('[ip, session]');
    const sessions = Array.from({ length: 4 }, (_, i) => keepVerified(guard, uuid(i)));
    const requestsFrom = (addresses: number) => (i: number) =>
      visit({ cookie: sessions[i % 4], ip: `84.115.${Math.floor(i / 4) % addresses}.7` });
    expect(await countPassing(guard, 80, requestsFrom(10))).toBe(12);
    guard.time.now += 60_000;
    expect(await countPassing(guard, 80, requestsFrom(2))).toBe(6);
  });

  test('without a cookie the address is charged once', async () => {
    const guard = limitedBy('[ip, session, header:x-device]');
    expect(await countPassing(guard, 4, () => visit())).toBe(3);
    expect(guard.store.counterCount).toBe(1);
  });

  test('a request that one budget refuses takes nothing from the other budgets', async () => {
    const guard = limitedBy('[ip, header:x-device]');
    expect(await countPassing(guard, 3, () => requestOfDevice('a', '192.0.2.1'))).toBe(3);
    expect(await countPassing(guard, 50, () => requestOfDevice('a'))).toBe(0);
    expect(await countPassing(guard, 3, () => requestOfDevice('b'))).toBe(3);
  });

  test('a request that one budget refuses adds no counter, so no visitor makes the store forget those of others', async () => {
    const guard = limitedBy('[header:x-device, ip]');
    for (const ipOf of [
      () => HOME_IP,
      (i: number) => `2a02:1748:1:${(0x100 * i).toString(16)}::1`,
    ]) {
      const requestOf = (i: number) => requestOfDevice(`${i}`, ipOf(i));
      await countPassing(guard, 50, requestOf);
      const { counterCount } = guard.store;
      await countPassing(guard, 200, (i) => requestOf(50 + i));
      expect(guard.store.counterCount).toBe(counterCount);
    }
  });

  test('a repeated part of the list is counted only once', async () => {
    const { ask } = limitedBy('[header:x-device, header:X-Device]', 1);
    expect((await ask(requestOfDevice('a'))).rate_limited).toBeUndefined();
    expect((await ask(requestOfDevice('a', '192.0.2.1'))).rate_limited).toBe(true);
  });
});

describe('IPv6 networks: a /64 has 1 budget, a /56 has 4, a /48 has 16', () => {
  const hex = (value: number) => value.toString(16);

  test.each(['ip', 'session', 'header:x-never-sent', '[ip, session]'])('by %s', async (by) => {
    for (const [ipOf, passed] of [
      [(i: number) => `2a02:1748:1:100::${hex(i)}`, 3],
      [(i: number) => `2a02:1748:1:${hex(0x100 + i)}::1`, 12],
      [(i: number) => `2a02:1748:1:${hex(0x100 * i)}::1`, 48],
      [(i: number) => `2a02:1748:${hex(i)}::1`, 100],
    ] as const) {
      const requestOf = (i: number) => visit({ ip: ipOf(i) });
      expect(await countPassing(limitedBy(by), 100, requestOf), ipOf(1)).toBe(passed);
    }
  });

  test('another /64 of the same /56 has its own budget', async () => {
    const { ask } = limitedBy('ip', 1);
    await ask(visit({ ip: '2a02:1748:1:100::1' }));
    expect((await ask(visit({ ip: '2a02:1748:1:100::2' }))).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '2a02:1748:1:101::1' }))).rate_limited).toBeUndefined();
  });
});

describe('a budget', () => {
  test('two rules never share a budget, whatever their names are', async () => {
    const { ask } = validatorWith(`
- { name: 'a', match: { path: /a }, rate_limit: { requests: 1, per: 1m } }
- { name: '${HOME_IP} a', match: { path: /b }, rate_limit: { requests: 1, per: 1m } }`);
    expect((await ask(visit({ url: 'https://shop.example/a' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/b' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/a' }))).rate_limited).toBe(true);
  });

  test('a budget refills one request at a time, and Retry-After is the time until the next request fits (GCRA)', async () => {
    const { ask, time } = limitedBy('ip', 6);
    for (let i = 0; i < 6; i++) await ask(visit());
    expect((await ask(visit())).retry_after).toBe(10);
    time.now += 9_000;
    expect((await ask(visit())).retry_after).toBe(1);
    time.now += 1_000;
    expect((await ask(visit())).decision).toBe('allow');
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('a million addresses leave no more counters than the limit of the store', async () => {
    const { MemoryStore } = await import('@guard/validator');
    const limits = { maxSessions: 10, maxSpent: 10, maxBudgets: 1_024 };
    const store = new MemoryStore(() => 0, limits);
    const budget = { requests: 1, perMs: 60_000 };
    for (let i = 0; i < 1_000_000; i++) store.take(`acme ${i % 7}`, `${i}`, budget);
    // The store keeps the last counters and forgets the first.
    expect(store.counterCount).toBe(1_024);
    expect(store.take(`acme ${999_999 % 7}`, '999999', budget)).toBeGreaterThan(0);
    expect(store.take(`acme ${999_950 % 7}`, '999950', budget)).toBeGreaterThan(0);
    expect(store.take('acme 0', '0', budget)).toBe(0);
  });
});

test('rate_limit by: all is one budget that all visitors share', async () => {
  const requestOf = (i: number) => visit({ ip: `84.115.2${i}.7` });
  expect(await countPassing(limitedBy('all'), 4, requestOf)).toBe(3);
});
