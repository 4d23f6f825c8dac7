import { sessionDigest } from '@guard/config/contract/session-digest';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/validator.ts';
import { chromeHttps, HOME_IP, visit } from '../../../test/kit/visitors.ts';
import { verifiedSession } from '../../../test/kit/verified-session.ts';

function limitedBy(by: string, requests = 3): TestValidator {
  return validatorWith(
    `[{ name: budget, match: {}, rate_limit: { requests: ${requests}, per: 1m, by: ${by} } }]`,
  );
}

/** Stores a session that has passed its challenge. */
function keepVerified({ store, time }: TestValidator, id: string): string {
  const session = verifiedSession({ judgedAt: time.now });
  store.keepSession(id, session, 3_600_000);
  return id;
}

const uuid = (first: number) =>
  `${first.toString(16).padStart(8, '0')}-d9cb-869f-8165-70867728950e`;

describe('rate_limit by: ip', () => {
  test('one IPv4 address has one budget, its neighbour another', async () => {
    const { ask } = limitedBy('ip');
    for (let i = 0; i < 3; i++) expect((await ask(visit())).rate_limited).toBeUndefined();
    expect((await ask(visit())).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '84.115.20.8' }))).rate_limited).toBeUndefined();
  });

  test('one IPv6 visitor is a /64 in every spelling; a v4-mapped address is its IPv4 address', async () => {
    const { ask } = limitedBy('ip', 1);
    await ask(visit({ ip: '2a02:1748:1:1::1' }));
    expect((await ask(visit({ ip: '2A02:1748:0001:1:ffff::9' }))).rate_limited).toBe(true);
    await ask(visit());
    expect((await ask(visit({ ip: `::ffff:${HOME_IP}` }))).rate_limited).toBe(true);
  });
});

describe('rate_limit by: session', () => {
  test('sessions that passed a challenge have a budget each, at one address', async () => {
    const guard = limitedBy('session');
    const [one, other] = [keepVerified(guard, uuid(1)), keepVerified(guard, uuid(2))];
    for (let i = 0; i < 3; i++) await guard.ask(visit({ cookie: one }));
    expect((await guard.ask(visit({ cookie: one }))).rate_limited).toBe(true);
    expect((await guard.ask(visit({ cookie: other }))).rate_limited).toBeUndefined();
  });

  test('one session has one budget, from however many addresses it comes', async () => {
    const guard = limitedBy('session');
    const cookie = keepVerified(guard, uuid(1));
    for (let i = 0; i < 3; i++) await guard.ask(visit({ cookie, ip: `84.115.20.${i}` }));
    expect((await guard.ask(visit({ cookie, ip: '84.115.21.9' }))).rate_limited).toBe(true);
  });

  test('dropping the cookie does not help: without one the address counts', async () => {
    const { ask } = limitedBy('session');
    for (let i = 0; i < 3; i++) await ask(visit());
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('rotating cookies does not help: a new one is free, so it has no budget of its own', async () => {
    const guard = limitedBy('session');
    const elsewhere = limitedBy('session', 1_000);
    const collected: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { cookies = [] } = await elsewhere.ask(visit());
      collected.push(...cookies.map(({ value }) => value));
    }
    expect(new Set(collected).size).toBe(5);
    const answers = [];
    for (const cookie of collected) answers.push(await guard.ask(visit({ cookie })));
    expect(guard.events.map(({ session }) => session)).toEqual(collected.map(sessionDigest));
    expect(answers.map(({ rate_limited }) => rate_limited === true)).toEqual([
      ...[false, false, false],
      ...[true, true],
    ]);
  });

  test('inventing cookies does not help', async () => {
    const { ask } = limitedBy('session');
    for (let i = 0; i < 3; i++) await ask(visit({ cookie: uuid(i) }));
    expect((await ask(visit({ cookie: uuid(9) }))).rate_limited).toBe(true);
  });

  test('a session in another browser is no session', async () => {
    const guard = limitedBy('session', 1);
    const cookie = keepVerified(guard, uuid(1));
    const headers = { ...chromeHttps, 'user-agent': 'another browser' };
    await guard.ask(visit({ cookie, headers }));
    expect((await guard.ask(visit({ headers }))).rate_limited).toBe(true);
  });
});

describe('rate_limit by: header:<name>', () => {
  const withKey = (key: string, over = {}) =>
    visit({ headers: { ...chromeHttps, 'x-api-client': key }, ...over });

  test('each value has a budget of its own, and the name is read in any case', async () => {
    const { ask } = limitedBy('header:x-API-client');
    for (let i = 0; i < 3; i++) await ask(withKey('one', { ip: `84.115.20.${i}` }));
    expect((await ask(withKey('one'))).rate_limited).toBe(true);
    expect((await ask(withKey('two'))).rate_limited).toBeUndefined();
  });

  test('long values that begin alike are apart', async () => {
    const { ask } = limitedBy('header:x-api-client', 1);
    const long = 'x'.repeat(5_000);
    await ask(withKey(`${long}1`));
    expect((await ask(withKey(`${long}2`))).rate_limited).toBeUndefined();
    expect((await ask(withKey(`${long}1`))).rate_limited).toBe(true);
  });

  test('who sends no such header is counted by address, and cannot use up the budget of the rest', async () => {
    const { ask } = limitedBy('header:x-api-client', 1);
    await ask(visit());
    expect((await ask(visit())).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '84.115.20.8' }))).rate_limited).toBeUndefined();
    expect((await ask(withKey(HOME_IP))).rate_limited).toBeUndefined();
  });

  test('a header with the name of an object’s property is a header', async () => {
    const { ask } = limitedBy('header:constructor', 1);
    expect((await ask(visit())).decision).toBe('allow');
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('the counter does not contain the value, because it may be a credential', async () => {
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

describe('rate_limit by a list: every one of its budgets holds', () => {
  test('two headers with equal values are two counters', async () => {
    const { ask } = limitedBy('[header:x-device, header:x-api-client]', 2);
    const equal = { ...chromeHttps, 'x-device': 'one', 'x-api-client': 'one' };
    expect((await ask(visit({ headers: equal }))).rate_limited).toBeUndefined();
    expect((await ask(visit({ headers: equal }))).rate_limited).toBeUndefined();
    expect((await ask(visit({ headers: equal }))).rate_limited).toBe(true);
  });

  const device = (name: string, ip = HOME_IP) =>
    visit({ ip, headers: { ...chromeHttps, 'x-device': name } });

  /** How many of these requests, one after the other, the limit lets through. */
  async function passing({ ask }: TestValidator, requests: readonly ValidateRequest[]) {
    let passed = 0;
    for (const request of requests) if ((await ask(request)).rate_limited !== true) passed += 1;
    return passed;
  }

  test('one session on many addresses has the budget of the session', async () => {
    const guard = limitedBy('[ip, session]');
    const cookie = keepVerified(guard, uuid(1));
    const requests = Array.from({ length: 20 }, (_, i) => visit({ cookie, ip: `84.115.${i}.7` }));
    expect(await passing(guard, requests)).toBe(3);
  });

  test('many sessions on one address have the budget of the address', async () => {
    const guard = limitedBy('[ip, session]');
    const requests = Array.from({ length: 20 }, (_, i) =>
      visit({ cookie: keepVerified(guard, uuid(i)) }),
    );
    expect(await passing(guard, requests)).toBe(3);
  });

  test('many sessions on many addresses have the smaller of both sums, however they are combined', async () => {
    const guard = limitedBy('[ip, session]');
    const sessions = Array.from({ length: 4 }, (_, i) => keepVerified(guard, uuid(i)));
    const requests = Array.from({ length: 80 }, (_, i) =>
      visit({ cookie: sessions[i % 4], ip: `84.115.${Math.floor(i / 4) % 10}.7` }),
    );
    expect(await passing(guard, requests)).toBe(12);
    const fewAddresses = requests.map((request, i) => ({ ...request, ip: `192.0.2.${i % 2}` }));
    expect(await passing(limitedBy('[ip, session]'), fewAddresses)).toBe(6);
  });

  test('without the cookie only the address is charged, and once', async () => {
    const guard = limitedBy('[ip, session, header:x-device]');
    expect(await passing(guard, [visit(), visit(), visit(), visit()])).toBe(3);
    expect(guard.store.counterCount).toBe(1);
  });

  test('a request that one budget refuses takes nothing from another', async () => {
    const guard = limitedBy('[ip, header:x-device]');
    const used = Array.from({ length: 3 }, () => device('a', '192.0.2.1'));
    expect(await passing(guard, used)).toBe(3);
    expect(
      await passing(
        guard,
        Array.from({ length: 50 }, () => device('a')),
      ),
    ).toBe(0);
    expect(
      await passing(
        guard,
        Array.from({ length: 3 }, () => device('b')),
      ),
    ).toBe(3);
  });

  test('a part that is named twice is one part', async () => {
    const { ask } = limitedBy('[header:x-device, header:X-Device]', 1);
    expect((await ask(device('a'))).rate_limited).toBeUndefined();
    expect((await ask(device('a', '192.0.2.1'))).rate_limited).toBe(true);
  });
});

describe('IPv6 is counted by /64, /56 and /48, with 1, 4 and 16 budgets', () => {
  /** Passes of one request from each of so many networks, each `step` behind the last. */
  async function passes(by: string, addresses: readonly string[]): Promise<number> {
    const { ask } = limitedBy(by, 3);
    let passed = 0;
    for (const ip of addresses) if ((await ask(visit({ ip }))).rate_limited !== true) passed += 1;
    return passed;
  }
  const hex = (value: number) => value.toString(16);

  test.each(['ip', 'session', 'header:x-never-sent', '[ip, session]'])('by %s', async (by) => {
    const of64 = Array.from({ length: 50 }, (_, i) => `2a02:1748:1:100::${hex(i)}`);
    const of56 = Array.from({ length: 50 }, (_, i) => `2a02:1748:1:${hex(0x100 + i)}::1`);
    const of48 = Array.from({ length: 100 }, (_, i) => `2a02:1748:1:${hex(0x100 * i)}::1`);
    const of32 = Array.from({ length: 100 }, (_, i) => `2a02:1748:${hex(i)}::1`);
    expect(await passes(by, of64)).toBe(3);
    expect(await passes(by, of56)).toBe(12);
    expect(await passes(by, of48)).toBe(48);
    expect(await passes(by, of32)).toBe(100);
  });

  test('a neighbour in the /56 has its own budget', async () => {
    const { ask } = limitedBy('ip', 1);
    await ask(visit({ ip: '2a02:1748:1:100::1' }));
    expect((await ask(visit({ ip: '2a02:1748:1:100::2' }))).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '2a02:1748:1:101::1' }))).rate_limited).toBeUndefined();
  });
});

describe('budgets are apart', () => {
  test('two rules never share a budget, whatever their names', async () => {
    const { ask } = validatorWith(`
- { name: 'a', match: { path: /a }, rate_limit: { requests: 1, per: 1m } }
- { name: '${HOME_IP} a', match: { path: /b }, rate_limit: { requests: 1, per: 1m } }`);
    expect((await ask(visit({ url: 'https://shop.example/a' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/b' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/a' }))).rate_limited).toBe(true);
  });

  test('a budget refills one request at a time, and gives the time of the next one (GCRA)', async () => {
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
    // The last ones are held, the first ones were let go.
    expect(store.counterCount).toBe(1_024);
    expect(store.take(`acme ${999_999 % 7}`, '999999', budget)).toBeGreaterThan(0);
    expect(store.take(`acme ${999_950 % 7}`, '999950', budget)).toBeGreaterThan(0);
    expect(store.take('acme 0', '0', budget)).toBe(0);
  });
});

test('rate_limit by: all is one budget for every visitor', async () => {
  const { ask } = limitedBy('all');
  for (let i = 0; i < 3; i++) {
    expect((await ask(visit({ ip: `84.115.20.${i}` }))).rate_limited).toBeUndefined();
  }
  expect((await ask(visit({ ip: '90.146.1.1' }))).rate_limited).toBe(true);
});
