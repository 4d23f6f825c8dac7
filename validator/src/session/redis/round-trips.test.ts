import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { session } from '../testing/store-contract.ts';
import { countCalls, withInstances } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(!hasRedis)('round trips to Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.ask('FLUSHALL'));

  test('a session that was just read is returned synchronously, without a question', async () => {
    await withInstances(redis.url, [1_000], async (instance) => {
      await instance.store.keepSession('s', session, HOUR_MS);
      await instance.store.session('s');
      const before = await countCalls(redis, 'get');
      for (let i = 0; i < 100; i++) expect(instance.store.session('s')).toMatchObject(session);
      expect(await countCalls(redis, 'get')).toBe(before);
      instance.time.now += 1_001;
      expect(await instance.store.session('s')).toMatchObject(session);
      expect(await countCalls(redis, 'get')).toBe(before + 1);
    });
  });

  test('a rejected session is read from Redis each time, because it can pass at another instance', async () => {
    await withInstances(redis.url, [1_000], async (instance) => {
      await instance.store.keepSession('s', { ...session, state: 'rejected' }, HOUR_MS);
      const before = await countCalls(redis, 'get');
      for (let i = 0; i < 10; i++) await instance.store.session('s');
      expect(await countCalls(redis, 'get')).toBe(before + 10);
    });
  });

  test('a visitor above a limit of all instances is refused without a question until the time that Redis gave', async () => {
    const now = Date.now();
    await withInstances(redis.url, [now, now], async (instance, other) => {
      const budget = { requests: 2, perMs: HOUR_MS };
      const take = () => instance.store.take('b', 'k', budget);
      expect(await other.store.take('b', 'k', budget)).toBe(0);
      expect(await take()).toBe(0);
      const waitMs = await take();
      const before = await countCalls(redis, 'evalsha');
      for (let i = 0; i < 100; i++) expect(take()).toBeGreaterThan(0);
      expect(await countCalls(redis, 'evalsha')).toBe(before);
      instance.time.now += waitMs;
      await take();
      expect(await countCalls(redis, 'evalsha')).toBe(before + 1);
    });
  });

  test('several counters need one question, and none while this instance remembers that one of them is used up', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      const charges = [4, 2, 8].map((requests) => ({
        subject: `${requests}`,
        budget: { requests, perMs: HOUR_MS },
      }));
      const before = await countCalls(redis, 'evalsha');
      expect(await instance.store.takeAll('b', charges)).toBe(0);
      expect(await instance.store.takeAll('b', charges)).toBe(0);
      // This instance alone has used up one of them.
      for (let i = 0; i < 100; i++) expect(instance.store.takeAll('b', charges)).toBeGreaterThan(0);
      expect(await countCalls(redis, 'evalsha')).toBe(before + 2);
      // A request that does not use the used-up budget passes, even when it shares another counter with the refused
      // requests.
      expect(await instance.store.takeAll('b', [...charges.slice(2)])).toBe(0);
    });
  });

  test('a script that Redis has lost is sent again', async () => {
    await withInstances(redis.url, [Date.now()], async (instance) => {
      const budget = { requests: 2, perMs: HOUR_MS };
      expect(await instance.store.take('b', 'k', budget)).toBe(0);
      await redis.ask('SCRIPT', 'FLUSH');
      expect(await instance.store.take('b', 'k', budget)).toBe(0);
      expect(await instance.store.take('b', 'k', budget)).toBeGreaterThan(0);
      expect([...instance.counts]).toEqual([]);
    });
  });
});
