import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { session, sessionStoreContract } from '../testing/store-contract.ts';
import { openPatientInstance, withInstances } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;
const ORDER_BUDGET = { requests: 1, perMs: 1 };

/** Redis uses the machine's clock, which a test cannot move. So the test makes the entries older. */
const GROW_OLDER = `
for _, key in ipairs(redis.call('KEYS', 'guard:1:*')) do
  local left = redis.call('PTTL', key) - ARGV[1]
  if key:find(':budget:') then
    redis.call('SET', key, string.format('%.3f', redis.call('GET', key) - ARGV[1]), 'KEEPTTL')
  end
  if left > 0 then redis.call('PEXPIRE', key, left) else redis.call('DEL', key) end
end`;

describe.skipIf(!hasRedis)('with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.ask('FLUSHALL'));

  describe('a shared text that another program wrote', () => {
    const KEY = 'guard:1:text:decisions';
    const TOO_LONG = 6 * 1024 * 1024;

    test.each([
      ['a text without a version', ['SET', KEY, 'a text of theirs']],
      ['a text that looks like a version', ['SET', KEY, 'abc']],
      ['a value of another type', ['HSET', KEY, 'a', 'b']],
      ['a text that is larger than any text of Guard', ['SETRANGE', KEY, String(TOO_LONG), 'x']],
    ])('%s is not treated as empty, and the connection stays open', async (_, command) => {
      await redis.ask(...command);
      await withInstances(redis.url, [Date.now()], async (instance) => {
        const { store, log } = instance;
        const sharedText = await store.sharedText('decisions');
        expect(sharedText?.text).toBe('unreadable');
        expect(await store.sharedText('decisions', sharedText)).toBe(sharedText);
        const begin = (text: string) => (text === '' ? 'ours' : undefined);
        expect(await store.changeSharedText('decisions', begin, HOUR_MS)).toBe('left');
        expect(log).toEqual([]);
        expect(instance.gauge('guard_store_away')).toBe(0);
      });
    });
  });

  sessionStoreContract('RedisStore', async () => {
    const { store, time } = await openPatientInstance(redis.url);
    const passTime = async (ms: number) => {
      // The reply about late takes must come before the test makes the entries older. Two questions are needed, because
      // Redis can first ask for the text of the script.
      await immediate();
      for (const subject of ['first', 'second']) await store.take('order', subject, ORDER_BUDGET);
      time.now += ms;
      await redis.ask('EVAL', GROW_OLDER, '0', String(ms));
    };
    return { store, passTime };
  });

  describe('instances that share a Redis', () => {
    const now = Date.now();
    /** The clocks differ by hours. This must not change any limit or lifetime. */
    const clocks = [now, now - 5 * HOUR_MS, now + 5 * HOUR_MS];

    test('a session stored by one instance is found by the others', async () => {
      await withInstances(redis.url, [now, now], async (a, b) => {
        await a.store.keepSession('s', session, HOUR_MS);
        expect(await b.store.session('s')).toMatchObject(session);
      });
    });

    test('one of 300 callers at three instances spends a ticket', async () => {
      await withInstances(redis.url, clocks, async (...instances) => {
        const spends = Array.from({ length: 100 }, () =>
          instances.map(({ store }) => store.spend('ticket', HOUR_MS)),
        );
        const won = await Promise.all(spends.flat());
        expect(won.filter(Boolean)).toHaveLength(1);
      });
    });

    test('a request that takes from several counters is exact, and a refused request takes from none', async () => {
      await withInstances(redis.url, clocks, async (...instances) => {
        const chargeOf = (subject: string, requests: number) => ({
          subject,
          budget: { requests, perMs: 24 * HOUR_MS },
        });
        const charges = [chargeOf('large', 50), chargeOf('small', 30), chargeOf('middle', 40)];
        const takes = Array.from({ length: 40 }, () =>
          instances.map(({ store }) => Promise.resolve(store.takeAll('b', charges))),
        );
        const waits = await Promise.all(takes.flat());
        expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(30);
        const takesOfLarge = Array.from({ length: 20 }, () =>
          instances.map(({ store }) =>
            Promise.resolve(store.take('b', 'large', chargeOf('', 50).budget)),
          ),
        );
        const fittingTakes = (await Promise.all(takesOfLarge.flat())).filter(
          (waitMs) => waitMs === 0,
        );
        expect(fittingTakes).toHaveLength(20);
      });
    });

    test('a budget is exact over all instances, even with different clocks', async () => {
      await withInstances(redis.url, clocks, async (...instances) => {
        const budget = { requests: 100, perMs: 24 * HOUR_MS };
        const takes = Array.from({ length: 100 }, () =>
          instances.map(({ store }) => Promise.resolve(store.take('b', 'k', budget))),
        );
        const waits = await Promise.all(takes.flat());
        expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(100);
      });
    });

    test('when Redis loses its data, no instance gives a budget again that it has given alone', async () => {
      const budget = { requests: 3, perMs: HOUR_MS };
      await withInstances(redis.url, [now], async ({ store }) => {
        for (let i = 0; i < 3; i++) {
          expect(await store.take('b', 'k', budget)).toBe(0);
          await redis.ask('FLUSHALL');
        }
        expect(await store.take('b', 'k', budget)).toBeGreaterThan(0);
      });
    });

    test('a request that is refused because of another instance takes nothing from the counters of this instance', async () => {
      const budget = { requests: 1, perMs: HOUR_MS };
      const [first, second] = [
        { subject: 'k', budget },
        { subject: 'l', budget },
      ];
      await withInstances(redis.url, [now, now], async (one, other) => {
        expect(await one.store.takeAll('b', [first])).toBe(0);
        expect(await other.store.takeAll('b', [first, second])).toBeGreaterThan(0);
        expect(await other.store.takeAll('b', [second])).toBe(0);
      });
    });

    test('all instances get the newest time, and a single instance gets its own time', async () => {
      await withInstances(redis.url, clocks, async (a, b, c) => {
        const times = [5_000, 7_000, 6_000];
        const newestTimes = async () => {
          const newest: (number | undefined)[] = [];
          for (const [index, { store }] of [a, b, c].entries()) {
            newest.push(await store.newest('lists', times[index] ?? 0));
          }
          return newest;
        };
        expect(await newestTimes()).toEqual([5_000, 7_000, 7_000]);
        expect(await newestTimes()).toEqual([7_000, 7_000, 7_000]);
        expect(await c.store.newest('others', 1_000)).toBe(1_000);
        // The time of an instance that has ended must expire.
        const leftMs = await redis.ask<number>('PTTL', 'guard:1:newest:lists');
        expect(leftMs).toBeGreaterThan(0);
        expect(leftMs).toBeLessThanOrEqual(600_000);
      });
    });

    test('a session that one instance rejects is no longer verified at another instance', async () => {
      await withInstances(redis.url, [now, now], async (a, b) => {
        await a.store.keepSession('s', session, HOUR_MS);
        expect(await b.store.session('s')).toMatchObject({ state: 'verified' });
        await a.store.keepSession('s', { ...session, state: 'rejected' }, HOUR_MS);
        // The clock of b does not move, so its copy stays fresh. So only a report of Redis can show it the change.
        const ask = () => Promise.resolve(b.store.session('s'));
        await poll(ask, (found) => found?.state === 'rejected');
      });
    });
  });

  test('keys in Redis contain the version, but no address, rule name or header', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      const subject = '198.51.100.7 header:Mozilla';
      await instance.store.take('acme login', subject, { requests: 1, perMs: HOUR_MS });
      await instance.store.keepSession('s', session, HOUR_MS);
      await instance.store.spend('t', HOUR_MS);
      const keys = await redis.ask<string[]>('KEYS', '*');
      // The key of the probe can still exist, because it expires after a second.
      expect(keys.filter((key) => key !== 'guard:1:probe')).toHaveLength(3);
      for (const key of keys) {
        expect(key).toMatch(/^guard:1:(?:probe|session:s|spent:t|budget:[\w-]{22})$/);
      }
    });
  });

  test('every key in Redis expires', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      await instance.store.take('b', 'k', { requests: 10, perMs: 10_000 });
      await instance.store.keepSession('s', session, HOUR_MS);
      await instance.store.spend('t', 1_000);
      for (const key of await redis.ask<string[]>('KEYS', '*')) {
        const leftMs = await redis.ask<number>('PTTL', key);
        // The reply is -1 for a key without an expiry, and -2 for a key that has expired meanwhile.
        expect(leftMs, key).not.toBe(-1);
        expect(leftMs, key).toBeLessThanOrEqual(HOUR_MS);
      }
    });
  });

  test('a value that is no session of this version is ignored', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      for (const value of [
        '',
        '{',
        'null',
        '[]',
        '{"state":"verified"}',
        JSON.stringify(session),
      ]) {
        await redis.ask('SET', 'guard:1:session:s', value);
        expect(await instance.store.session('s'), value).toBeUndefined();
      }
    });
  });

  test('a session of an earlier version with the whole User-Agent is valid, and only the hash is stored', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      const { userAgentHash, ...sessionWithoutHash } = session;
      const earlierSession = {
        ...sessionWithoutHash,
        userAgent: 'Mozilla/5.0',
        expiresAt: Date.now() + HOUR_MS,
      };
      await redis.ask('SET', 'guard:1:session:s', JSON.stringify(earlierSession));
      const storedSession = await instance.store.session('s');
      expect(storedSession).toMatchObject({ ...sessionWithoutHash, userAgentHash });
      expect(JSON.stringify(storedSession)).not.toContain('Mozilla');
    });
  });

  test('the store uses the database of the URL', async () => {
    const { store } = await openPatientInstance(`${redis.url}/7`);
    await store.spend('t', HOUR_MS);
    await store.close();
    expect(await redis.ask<string>('INFO', 'keyspace')).toMatch(/db7:keys=[12],/);
    expect(await redis.ask<number>('DBSIZE')).toBe(0);
  });
});
