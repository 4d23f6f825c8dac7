import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { allocateDeadlines } from '../deadline-table.ts';
import {
  countCalls,
  type Instance,
  openInstance,
  openPatientInstance,
  withInstances,
} from './testing/open-stores.ts';

/** These requests pass without a question to Redis. A moment later, Redis counts them for all instances. */

const HOUR_MS = 3_600_000;
const BUDGET = { requests: 45, perMs: HOUR_MS };
const NOW = Date.now();

describe.skipIf(!hasRedis)('takeSync with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => redis.ask('FLUSHALL'));

  /** How many of `count` requests in one turn of the event loop pass. */
  function countTaken({ store }: Instance, count: number, budget = BUDGET): number {
    let takenCount = 0;
    for (let i = 0; i < count; i++)
      if (store.takeSync('pages', 'pass', budget) === 0) takenCount += 1;
    return takenCount;
  }

  /** Resolves when the instance has the replies for all requests that it took. */
  async function waitForReply({ store }: Instance): Promise<void> {
    await turn();
    // Redis answers commands in their order, so the replies for the requests come first.
    for (let i = 0; i < 2; i++) await store.newest('told', 0);
    await turn();
  }

  test('two instances share one budget, with at most one request more, whatever their clocks show', async () => {
    for (const clocks of [
      [NOW, NOW],
      [NOW, NOW + 7 * HOUR_MS],
      [NOW, NOW - 48 * HOUR_MS],
    ]) {
      await redis.ask('FLUSHALL');
      await withInstances(redis.url, clocks, async (a, b) => {
        const budget = { requests: 12, perMs: HOUR_MS };
        let takenCount = 0;
        for (let i = 0; i < 9; i++) {
          for (const instance of [a, b]) {
            takenCount += countTaken(instance, 1, budget);
            await waitForReply(instance);
          }
        }
        expect(takenCount).toBeGreaterThanOrEqual(12);
        expect(takenCount).toBeLessThanOrEqual(13);
      });
    }
  });

  test('before the first reply, an instance lets 20 requests pass, or a twentieth of a large budget', async () => {
    await withInstances(redis.url, [NOW], async (instance) => {
      expect(countTaken(instance, 100)).toBe(20);
      await waitForReply(instance);
      expect(countTaken(instance, 100)).toBe(20);
      await waitForReply(instance);
      expect(countTaken(instance, 100)).toBe(5);
      await waitForReply(instance);
      expect(countTaken(instance, 100)).toBe(0);
      const large = { requests: 6_000, perMs: HOUR_MS };
      let takenCount = 0;
      while (instance.store.takeSync('documents', 'pass', large) === 0) takenCount += 1;
      expect(takenCount).toBe(300);
    });
  });

  test('requests that several instances allow above the budget are missing later', async () => {
    const budget = { requests: 20, perMs: 20 * HOUR_MS };
    await withInstances(redis.url, [NOW, NOW], async (a, b) => {
      expect(countTaken(a, 100, budget)).toBe(20);
      await waitForReply(a);
      expect(countTaken(b, 100, budget)).toBe(20);
      await waitForReply(b);
      // Instance a has no reply with the debt yet, so one more request passes there after an hour.
      a.time.now += HOUR_MS;
      expect(countTaken(a, 100, budget)).toBe(1);
      await waitForReply(a);
      // The debt has its largest size: one request less than a budget.
      for (const instance of [a, b]) {
        instance.time.now += 19 * HOUR_MS;
        expect(countTaken(instance, 100, budget)).toBe(0);
        instance.time.now += HOUR_MS + 1_000;
        expect(countTaken(instance, 100, budget)).toBe(1);
      }
    });
  });

  test('an instance that starts again, or forgets its counters, learns the state of the budget with its first request', async () => {
    await withInstances(redis.url, [NOW], async (first) => {
      for (let i = 0; i < 3; i++) {
        countTaken(first, 100);
        await waitForReply(first);
      }
      const next = await openPatientInstance(redis.url, NOW);
      expect(countTaken(next, 1)).toBe(1);
      await waitForReply(next);
      expect(countTaken(next, 100)).toBe(0);
      await next.store.close();
    });
  });

  test('the threads of a process share one copy of the counters, and together do not exceed the budget', async () => {
    const memory = allocateDeadlines(1_000);
    const open = () => openPatientInstance(redis.url, NOW, undefined, memory);
    const threads = [await open(), await open(), await open()];
    expect(threads.map((thread) => countTaken(thread, 100))).toEqual([20, 20, 5]);
    for (const thread of threads) await waitForReply(thread);
    expect(threads.map((thread) => countTaken(thread, 100))).toEqual([0, 0, 0]);
    await Promise.all(threads.map(({ store }) => store.close()));
  });

  test('300 counters need four commands, and a lost script is sent again', async () => {
    await withInstances(redis.url, [NOW], async (instance) => {
      await redis.ask('SCRIPT', 'FLUSH');
      const before = await countCalls(redis, 'evalsha');
      const countTakenOfAll = () => {
        let takenCount = 0;
        for (let i = 0; i < 300; i++) {
          if (instance.store.takeSync('pages', `pass ${i}`, BUDGET) === 0) takenCount += 1;
        }
        return takenCount;
      };
      expect(countTakenOfAll()).toBe(300);
      for (let i = 0; i < 3; i++) await waitForReply(instance);
      // Redis refuses the first command, because it does not have the script.
      expect(await countCalls(redis, 'evalsha')).toBe(before + 3);
      expect([...instance.counts]).toEqual([]);
      expect((await redis.ask<string[]>('KEYS', 'guard:1:budget:*')).length).toBe(300);
    });
  });

  test('every key expires after at most two periods', async () => {
    await withInstances(redis.url, [NOW, NOW], async (a, b) => {
      for (const instance of [a, b, a, b, a, b]) {
        countTaken(instance, 100);
        await waitForReply(instance);
      }
      const [key = ''] = await redis.ask<string[]>('KEYS', 'guard:1:budget:*');
      const leftMs = await redis.ask<number>('PTTL', key);
      expect(leftMs).toBeGreaterThan(HOUR_MS / 2);
      expect(leftMs).toBeLessThanOrEqual(2 * HOUR_MS);
    });
  });

  test('when Redis loses its data, for example in a failover, no instance allows again the requests that it has counted', async () => {
    await withInstances(redis.url, [NOW, NOW], async (a, b) => {
      for (const instance of [a, a, a, b]) {
        countTaken(instance, 100);
        await waitForReply(instance);
      }
      await redis.ask('FLUSHALL');
      for (const instance of [a, b]) expect(countTaken(instance, 100)).toBe(0);
    });
  });

  test('a counter far in the future, because the clock was set back, locks no visitor out', async () => {
    await withInstances(redis.url, [NOW], async (instance) => {
      countTaken(instance, 1);
      await waitForReply(instance);
      const [key = ''] = await redis.ask<string[]>('KEYS', 'guard:1:budget:*');
      await redis.ask('SET', key, String(Date.now() + 48 * HOUR_MS));
      countTaken(instance, 1);
      await waitForReply(instance);
      expect(countTaken(instance, 10)).toBe(10);
    });
  });

  test('while Redis is away, each instance gives the whole budget, and afterwards they share it again', async () => {
    const [a, b] = [await openInstance(redis.url, NOW), await openInstance(redis.url, NOW)];
    const waitForAwayGauge = (value: number) =>
      poll(
        () => Promise.resolve(a.gauge('guard_store_away') + b.gauge('guard_store_away')),
        (sum) => sum === 2 * value,
      );
    redis.pause();
    await waitForAwayGauge(1);
    // Redis gets no command, so no reply can limit the instances.
    expect([countTaken(a, 100), countTaken(b, 100)]).toEqual([45, 45]);
    expect(a.counts.get('guard_store_unanswered_total take')).toBeGreaterThanOrEqual(45);
    redis.resume();
    await waitForAwayGauge(0);
    expect([countTaken(a, 100), countTaken(b, 100)]).toEqual([0, 0]);
    // After the time of 20 requests the budget is shared again. Instance a takes these 20, and instance b learns this
    // from Redis.
    a.time.now += (HOUR_MS / 45) * 20;
    b.time.now += (HOUR_MS / 45) * 20;
    expect(countTaken(a, 100)).toBe(20);
    await waitForReply(a);
    expect(countTaken(b, 1)).toBe(1);
    await waitForReply(b);
    await Promise.all([a.store.close(), b.store.close()]);
  });
});
