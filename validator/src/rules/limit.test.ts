import { sessionDigest } from '@guard/config/contract/session-digest';
import type { Session } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/validator.ts';
import { CHROME_UA, chromeHttps, HOME_IP, visit } from '../../../test/kit/visitors.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';

function limitedBy(by: string, requests = 3): TestValidator {
  return validatorWith(
    `[{ name: budget, match: {}, rate_limit: { requests: ${requests}, per: 1m, by: ${by} } }]`,
  );
}

/** A session that has passed its challenge, as the collector keeps it. */
function verifiedSession({ store, time }: TestValidator, id: string): string {
  const session: Session = {
    organisation: 'acme',
    state: 'verified',
    reasons: [],
    userAgentHash: hashUserAgent(CHROME_UA),
    network: '84.115.20.0/24',
    judgedAt: time.now,
  };
  store.keepSession(id, session, 3_600_000);
  return id;
}

const uuid = (last: number) => `0f8fad5b-d9cb-869f-a165-${last.toString(16).padStart(12, '0')}`;

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
    const [one, other] = [verifiedSession(guard, uuid(1)), verifiedSession(guard, uuid(2))];
    for (let i = 0; i < 3; i++) await guard.ask(visit({ cookie: one }));
    expect((await guard.ask(visit({ cookie: one }))).rate_limited).toBe(true);
    expect((await guard.ask(visit({ cookie: other }))).rate_limited).toBeUndefined();
  });

  test('one session has one budget, from however many addresses it comes', async () => {
    const guard = limitedBy('session');
    const cookie = verifiedSession(guard, uuid(1));
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

  test('a session taken to another browser counts as none', async () => {
    const guard = limitedBy('session', 1);
    const cookie = verifiedSession(guard, uuid(1));
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

  test('who sends no such header is counted by address: nobody uses up the budget of the rest', async () => {
    const { ask } = limitedBy('header:x-api-client', 1);
    await ask(visit());
    expect((await ask(visit())).rate_limited).toBe(true);
    expect((await ask(visit({ ip: '84.115.20.8' }))).rate_limited).toBeUndefined();
    expect((await ask(withKey(HOME_IP))).rate_limited).toBeUndefined();
  });

  test('a header that is called like a property of every object is a header', async () => {
    const { ask } = limitedBy('header:constructor', 1);
    expect((await ask(visit())).decision).toBe('allow');
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('the value itself is in no counter: it may be a credential', async () => {
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

describe('rate_limit by a list', () => {
  test('every combination has a budget of its own', async () => {
    const { ask } = limitedBy('[ip, header:x-device]', 1);
    const device = (name: string, ip = HOME_IP) =>
      visit({ ip, headers: { ...chromeHttps, 'x-device': name } });
    await ask(device('a'));
    expect((await ask(device('a'))).rate_limited).toBe(true);
    expect((await ask(device('b'))).rate_limited).toBeUndefined();
    expect((await ask(device('a', '84.115.20.8'))).rate_limited).toBeUndefined();
  });
});

describe('budgets are apart', () => {
  test('two rules, and two rules whose names begin like an address, never share one', async () => {
    const { ask } = validatorWith(`
- { name: 'a', match: { path: /a }, rate_limit: { requests: 1, per: 1m } }
- { name: '${HOME_IP} a', match: { path: /b }, rate_limit: { requests: 1, per: 1m } }`);
    expect((await ask(visit({ url: 'https://shop.example/a' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/b' }))).decision).toBe('allow');
    expect((await ask(visit({ url: 'https://shop.example/a' }))).rate_limited).toBe(true);
  });

  test('a budget refills one request at a time, and says when (GCRA)', async () => {
    const { ask, time } = limitedBy('ip', 6);
    for (let i = 0; i < 6; i++) await ask(visit());
    expect((await ask(visit())).retry_after).toBe(10);
    time.now += 9_000;
    expect((await ask(visit())).retry_after).toBe(1);
    time.now += 1_000;
    expect((await ask(visit())).decision).toBe('allow');
    expect((await ask(visit())).rate_limited).toBe(true);
  });

  test('a million addresses leave as many counters as the store may hold, over all budgets together', async () => {
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
