import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { session, sessionStoreContract } from '../testing/store-contract.ts';
import { type Instance, openPatient } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;
const ORDER_BUDGET = { requests: 1, perMs: 1 };

/** Redis uses the machine's clock. So the test does not move the clock, but makes the entries older. */
const GROW_OLDER = `
for _, key in ipairs(redis.call('KEYS', 'guard:1:*')) do
  local left = redis.call('PTTL', key) - ARGV[1]
  if key:find(':budget:') then
    redis.call('SET', key, string.format('%.3f', redis.call('GET', key) - ARGV[1]), 'KEEPTTL')
  end
  if left > 0 then redis.call('PEXPIRE', key, left) else redis.call('DEL', key) end
end`;

describe.skipIf(!hasRedis)('with a Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.ask('FLUSHALL'));

  /** How many times Redis got this command since its start. */
  async function calls(command: string): Promise<number> {
    const stats = await redis.ask<string>('INFO', 'commandstats');
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  }

  async function withInstances(
    clocks: readonly number[],
    use: (...instances: Instance[]) => Promise<void>,
  ): Promise<void> {
    const instances = await Promise.all(clocks.map((now) => openPatient(redis.url, now)));
    try {
      await use(...instances);
    } finally {
      await Promise.all(instances.map(({ store }) => store.close()));
    }
  }

  describe('a shared text that another program wrote', () => {
    const KEY = 'guard:1:text:decisions';
    const TOO_LONG = 6 * 1024 * 1024;

    test.each([
      ['without a version', ['SET', KEY, 'a text of theirs']],
      ['that looks like a version', ['SET', KEY, 'abc']],
      ['of another type', ['HSET', KEY, 'a', 'b']],
      ['larger than any of ours', ['SETRANGE', KEY, String(TOO_LONG), 'x']],
    ])('%s does not count as empty, and the connection stays open', async (_, command) => {
      await redis.ask(...command);
      await withInstances([Date.now()], async (instance) => {
        const { store, log } = instance;
        const held = await store.sharedText('decisions');
        expect(held?.text).toBe('unreadable');
        expect(await store.sharedText('decisions', held)).toBe(held);
        const begin = (text: string) => (text === '' ? 'ours' : undefined);
        expect(await store.changeSharedText('decisions', begin, HOUR_MS)).toBe('left');
        expect(log).toEqual([]);
        expect(instance.gauge('guard_store_away')).toBe(0);
      });
    });
  });

  sessionStoreContract('RedisStore', async () => {
    const { store, time } = await openPatient(redis.url);
    const pass = async (ms: number) => {
      // A reply about late takes that came after the change of the clock would be taken for a newer one. Two questions:
      // Redis may have asked for the text of the script first.
      await immediate();
      for (const subject of ['first', 'second']) await store.take('order', subject, ORDER_BUDGET);
      time.now += ms;
      await redis.ask('EVAL', GROW_OLDER, '0', String(ms));
    };
    return { store, pass };
  });

  describe('instances that share a Redis', () => {
    const now = Date.now();
    /** The clocks differ by hours, which must not change any limit or lifetime. */
    const clocks = [now, now - 5 * HOUR_MS, now + 5 * HOUR_MS];

    test('a session stored by one instance is found by the others', async () => {
      await withInstances([now, now], async (a, b) => {
        await a.store.keepSession('s', session, HOUR_MS);
        expect(await b.store.session('s')).toMatchObject(session);
      });
    });

    test('one of 300 callers at three instances spends a ticket', async () => {
      await withInstances(clocks, async (...instances) => {
        const spends = Array.from({ length: 100 }, () =>
          instances.map(({ store }) => store.spend('ticket', HOUR_MS)),
        );
        const won = await Promise.all(spends.flat());
        expect(won.filter(Boolean)).toHaveLength(1);
      });
    });

    test('counters that are taken together are exact, and a refused request takes from none of them', async () => {
      await withInstances(clocks, async (...instances) => {
        const of = (subject: string, requests: number) => ({
          subject,
          budget: { requests, perMs: 24 * HOUR_MS },
        });
        const charges = [of('large', 50), of('small', 30), of('middle', 40)];
        const takes = Array.from({ length: 40 }, () =>
          instances.map(({ store }) => Promise.resolve(store.takeAll('b', charges))),
        );
        const waits = await Promise.all(takes.flat());
        expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(30);
        const left = Array.from({ length: 20 }, () =>
          instances.map(({ store }) =>
            Promise.resolve(store.take('b', 'large', of('', 50).budget)),
          ),
        );
        const fitting = (await Promise.all(left.flat())).filter((waitMs) => waitMs === 0);
        expect(fitting).toHaveLength(20);
      });
    });

    test('a budget is exact over all instances, also with different clocks', async () => {
      await withInstances(clocks, async (...instances) => {
        const budget = { requests: 100, perMs: 24 * HOUR_MS };
        const takes = Array.from({ length: 100 }, () =>
          instances.map(({ store }) => Promise.resolve(store.take('b', 'k', budget))),
        );
        const waits = await Promise.all(takes.flat());
        expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(100);
      });
    });

    test('all instances get the newest time; a single instance gets its own', async () => {
      await withInstances(clocks, async (a, b, c) => {
        const times = [5_000, 7_000, 6_000];
        const heard = async () => {
          const newest: (number | undefined)[] = [];
          for (const [index, { store }] of [a, b, c].entries()) {
            newest.push(await store.newest('lists', times[index] ?? 0));
          }
          return newest;
        };
        expect(await heard()).toEqual([5_000, 7_000, 7_000]);
        expect(await heard()).toEqual([7_000, 7_000, 7_000]);
        expect(await c.store.newest('others', 1_000)).toBe(1_000);
        // The time of an instance that has ended must expire.
        const leftMs = await redis.ask<number>('PTTL', 'guard:1:newest:lists');
        expect(leftMs).toBeGreaterThan(0);
        expect(leftMs).toBeLessThanOrEqual(600_000);
      });
    });

    test('a session that one instance rejects is no longer verified at another instance', async () => {
      await withInstances([now, now], async (a, b) => {
        await a.store.keepSession('s', session, HOUR_MS);
        expect(await b.store.session('s')).toMatchObject({ state: 'verified' });
        await a.store.keepSession('s', { ...session, state: 'rejected' }, HOUR_MS);
        // The clock of b does not move, so its copy stays fresh. Redis has to report the change.
        const ask = () => Promise.resolve(b.store.session('s'));
        await poll(ask, (found) => found?.state === 'rejected');
      });
    });
  });

  describe('round trips', () => {
    test('a session that was just read is answered synchronously, without a question', async () => {
      await withInstances([1_000], async (only) => {
        await only.store.keepSession('s', session, HOUR_MS);
        await only.store.session('s');
        const before = await calls('get');
        for (let i = 0; i < 100; i++) expect(only.store.session('s')).toMatchObject(session);
        expect(await calls('get')).toBe(before);
        only.time.now += 1_001;
        expect(await only.store.session('s')).toMatchObject(session);
        expect(await calls('get')).toBe(before + 1);
      });
    });

    test('a rejected session is read from Redis each time, because it may pass at another instance', async () => {
      await withInstances([1_000], async (only) => {
        await only.store.keepSession('s', { ...session, state: 'rejected' }, HOUR_MS);
        const before = await calls('get');
        for (let i = 0; i < 10; i++) await only.store.session('s');
        expect(await calls('get')).toBe(before + 10);
      });
    });

    test('a visitor above a limit is refused without a question until the time that Redis gave', async () => {
      await withInstances([Date.now()], async (only) => {
        const budget = { requests: 2, perMs: HOUR_MS };
        const take = () => only.store.take('b', 'k', budget);
        for (let i = 0; i < 2; i++) expect(await take()).toBe(0);
        const waitMs = await take();
        const before = await calls('evalsha');
        for (let i = 0; i < 100; i++) expect(take()).toBeGreaterThan(0);
        expect(await calls('evalsha')).toBe(before);
        only.time.now += waitMs;
        await take();
        expect(await calls('evalsha')).toBe(before + 1);
      });
    });

    test('several counters need one question, and none while this instance knows that one is used up', async () => {
      await withInstances([Date.now()], async (only) => {
        const charges = [4, 2, 8].map((requests) => ({
          subject: `${requests}`,
          budget: { requests, perMs: HOUR_MS },
        }));
        const before = await calls('evalsha');
        expect(await only.store.takeAll('b', charges)).toBe(0);
        expect(await only.store.takeAll('b', charges)).toBe(0);
        expect(await only.store.takeAll('b', charges)).toBeGreaterThan(0);
        expect(await calls('evalsha')).toBe(before + 3);
        for (let i = 0; i < 100; i++) expect(only.store.takeAll('b', charges)).toBeGreaterThan(0);
        expect(await calls('evalsha')).toBe(before + 3);
        // Another budget is free, also together with a counter that the refused requests shared.
        expect(await only.store.takeAll('b', [...charges.slice(2)])).toBe(0);
      });
    });

    test('a script that Redis has lost is sent again', async () => {
      await withInstances([Date.now()], async (only) => {
        const budget = { requests: 2, perMs: HOUR_MS };
        expect(await only.store.take('b', 'k', budget)).toBe(0);
        await redis.ask('SCRIPT', 'FLUSH');
        expect(await only.store.take('b', 'k', budget)).toBe(0);
        expect(await only.store.take('b', 'k', budget)).toBeGreaterThan(0);
        expect([...only.counts]).toEqual([]);
      });
    });
  });

  test('keys in Redis contain the version, but no address, rule name or header', async () => {
    await withInstances([Date.now()], async (only) => {
      const subject = '198.51.100.7 header:Mozilla';
      await only.store.take('acme login', subject, { requests: 1, perMs: HOUR_MS });
      await only.store.keepSession('s', session, HOUR_MS);
      await only.store.spend('t', HOUR_MS);
      const keys = await redis.ask<string[]>('KEYS', '*');
      // The key of the probe expires after a second.
      expect(keys.filter((key) => key !== 'guard:1:probe')).toHaveLength(3);
      for (const key of keys) {
        expect(key).toMatch(/^guard:1:(?:probe|session:s|spent:t|budget:[\w-]{22})$/);
      }
    });
  });

  test('every key in Redis expires', async () => {
    await withInstances([Date.now()], async (only) => {
      await only.store.take('b', 'k', { requests: 10, perMs: 10_000 });
      await only.store.keepSession('s', session, HOUR_MS);
      await only.store.spend('t', 1_000);
      for (const key of await redis.ask<string[]>('KEYS', '*')) {
        const leftMs = await redis.ask<number>('PTTL', key);
        // The reply is -1 for a key without an expiry, and -2 for a key that has expired meanwhile.
        expect(leftMs, key).not.toBe(-1);
        expect(leftMs, key).toBeLessThanOrEqual(HOUR_MS);
      }
    });
  });

  test('a value that is no session of this version is ignored', async () => {
    await withInstances([Date.now()], async (only) => {
      for (const value of [
        '',
        '{',
        'null',
        '[]',
        '{"state":"verified"}',
        JSON.stringify(session),
      ]) {
        await redis.ask('SET', 'guard:1:session:s', value);
        expect(await only.store.session('s'), value).toBeUndefined();
      }
    });
  });

  test('a session of an earlier version with the whole User-Agent is valid, and only the hash is stored', async () => {
    await withInstances([Date.now()], async (only) => {
      const { userAgentHash, ...others } = session;
      const old = { ...others, userAgent: 'Mozilla/5.0', expiresAt: Date.now() + HOUR_MS };
      await redis.ask('SET', 'guard:1:session:s', JSON.stringify(old));
      const read = await only.store.session('s');
      expect(read).toMatchObject({ ...others, userAgentHash });
      expect(JSON.stringify(read)).not.toContain('Mozilla');
    });
  });

  test('the store uses the database of the URL', async () => {
    const { store } = await openPatient(`${redis.url}/7`);
    await store.spend('t', HOUR_MS);
    await store.close();
    expect(await redis.ask<string>('INFO', 'keyspace')).toMatch(/db7:keys=[12],/);
    expect(await redis.ask<number>('DBSIZE')).toBe(0);
  });
});
