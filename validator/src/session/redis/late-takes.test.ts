import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { allocateDeadlines } from '../deadline-table.ts';
import { type Instance, openInstance, openPatient } from './testing/open-stores.ts';

/** Requests that pass without a question to Redis are counted for all instances a moment later. */

const HOUR_MS = 3_600_000;
const BUDGET = { requests: 45, perMs: HOUR_MS };
const NOW = Date.now();

describe.skipIf(!hasRedis)('takeSync with a Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** Instances with an empty Redis. `clocks` are their times. */
  async function withInstances(
    clocks: readonly number[],
    run: (...instances: [Instance, Instance]) => Promise<void>,
  ): Promise<void> {
    await redis.ask('FLUSHALL');
    const instances = await Promise.all(clocks.map((now) => openPatient(redis.url, now)));
    await run(...(instances as [Instance, Instance]));
    await Promise.all(instances.map(({ store }) => store.close()));
  }

  /** How many of `count` requests in one turn of the event loop pass. */
  function take({ store }: Instance, count: number, budget = BUDGET): number {
    let taken = 0;
    for (let i = 0; i < count; i++) if (store.takeSync('pages', 'pass', budget) === 0) taken += 1;
    return taken;
  }

  /** Resolves when the instance has the reply to everything that it took. */
  async function told({ store }: Instance): Promise<void> {
    await turn();
    // Redis answers commands in their order.
    for (let i = 0; i < 2; i++) await store.newest('told', 0);
    await turn();
  }

  test('two instances have a budget once, with at most one request more, whatever their clocks say', async () => {
    for (const clocks of [
      [NOW, NOW],
      [NOW, NOW + 7 * HOUR_MS],
      [NOW, NOW - 48 * HOUR_MS],
    ]) {
      await withInstances(clocks, async (a, b) => {
        const budget = { requests: 12, perMs: HOUR_MS };
        let taken = 0;
        for (let i = 0; i < 9; i++) {
          for (const instance of [a, b]) {
            taken += take(instance, 1, budget);
            await told(instance);
          }
        }
        expect(taken).toBeGreaterThanOrEqual(12);
        expect(taken).toBeLessThanOrEqual(13);
      });
    }
  });

  test('before the first reply, an instance lets 20 requests pass, or a twentieth of a large budget', async () => {
    await withInstances([NOW], async (only) => {
      expect(take(only, 100)).toBe(20);
      await told(only);
      expect(take(only, 100)).toBe(20);
      await told(only);
      expect(take(only, 100)).toBe(5);
      await told(only);
      expect(take(only, 100)).toBe(0);
      const large = { requests: 6_000, perMs: HOUR_MS };
      let taken = 0;
      while (only.store.takeSync('documents', 'pass', large) === 0) taken += 1;
      expect(taken).toBe(300);
    });
  });

  test('what several instances took too much is missing later', async () => {
    const budget = { requests: 20, perMs: 20 * HOUR_MS };
    await withInstances([NOW, NOW], async (a, b) => {
      expect(take(a, 100, budget)).toBe(20);
      await told(a);
      expect(take(b, 100, budget)).toBe(20);
      await told(b);
      // Instance a has not learned of the debt, so one more request passes there after an hour.
      a.time.now += HOUR_MS;
      expect(take(a, 100, budget)).toBe(1);
      await told(a);
      // The debt has its largest size: one request less than a budget.
      for (const instance of [a, b]) {
        instance.time.now += 19 * HOUR_MS;
        expect(take(instance, 100, budget)).toBe(0);
        instance.time.now += HOUR_MS + 1_000;
        expect(take(instance, 100, budget)).toBe(1);
      }
    });
  });

  test('an instance that starts again, or forgets its counters, learns the budget with its first request', async () => {
    await withInstances([NOW], async (first) => {
      for (let i = 0; i < 3; i++) {
        take(first, 100);
        await told(first);
      }
      const next = await openPatient(redis.url, NOW);
      expect(take(next, 1)).toBe(1);
      await told(next);
      expect(take(next, 100)).toBe(0);
      await next.store.close();
    });
  });

  test('the threads of a process have one copy of the counters, and are exact together', async () => {
    await redis.ask('FLUSHALL');
    const memory = allocateDeadlines(1_000);
    const open = () => openPatient(redis.url, NOW, undefined, memory);
    const threads = [await open(), await open(), await open()];
    expect(threads.map((thread) => take(thread, 100))).toEqual([20, 20, 5]);
    for (const thread of threads) await told(thread);
    expect(threads.map((thread) => take(thread, 100))).toEqual([0, 0, 0]);
    await Promise.all(threads.map(({ store }) => store.close()));
  });

  test('300 counters need four commands, and a lost script is sent again', async () => {
    await withInstances([NOW], async (only) => {
      await redis.ask('SCRIPT', 'FLUSH');
      const before = await calls();
      const takeAll = () => {
        let taken = 0;
        for (let i = 0; i < 300; i++) {
          if (only.store.takeSync('pages', `pass ${i}`, BUDGET) === 0) taken += 1;
        }
        return taken;
      };
      expect(takeAll()).toBe(300);
      for (let i = 0; i < 3; i++) await told(only);
      // The first command is refused, because the script is not there.
      expect(await calls()).toBe(before + 3);
      expect([...only.counts]).toEqual([]);
      expect((await redis.ask<string[]>('KEYS', 'guard:1:budget:*')).length).toBe(300);
    });
  });

  test('every key expires after two periods at most', async () => {
    await withInstances([NOW, NOW], async (a, b) => {
      for (const instance of [a, b, a, b, a, b]) {
        take(instance, 100);
        await told(instance);
      }
      const [key = ''] = await redis.ask<string[]>('KEYS', 'guard:1:budget:*');
      const leftMs = await redis.ask<number>('PTTL', key);
      expect(leftMs).toBeGreaterThan(HOUR_MS / 2);
      expect(leftMs).toBeLessThanOrEqual(2 * HOUR_MS);
    });
  });

  test('when Redis loses its data, as after a failover, no instance gives again what it knows of', async () => {
    await withInstances([NOW, NOW], async (a, b) => {
      for (const instance of [a, a, a, b]) {
        take(instance, 100);
        await told(instance);
      }
      await redis.ask('FLUSHALL');
      for (const instance of [a, b]) expect(take(instance, 100)).toBe(0);
    });
  });

  test('a counter far in the future, as after a clock that was set back, locks nobody out', async () => {
    await withInstances([NOW], async (only) => {
      take(only, 1);
      await told(only);
      const [key = ''] = await redis.ask<string[]>('KEYS', 'guard:1:budget:*');
      await redis.ask('SET', key, String(Date.now() + 48 * HOUR_MS));
      take(only, 1);
      await told(only);
      expect(take(only, 10)).toBe(10);
    });
  });

  test('while Redis is away, each instance gives the budget alone; afterwards it is shared again', async () => {
    await redis.ask('FLUSHALL');
    const [a, b] = [await openInstance(redis.url, NOW), await openInstance(redis.url, NOW)];
    const isAway = (value: number) =>
      poll(
        () => Promise.resolve(a.gauge('guard_store_away') + b.gauge('guard_store_away')),
        (sum) => sum === 2 * value,
      );
    redis.pause();
    await isAway(1);
    // Redis gets no command, so no reply can limit them.
    expect([take(a, 100), take(b, 100)]).toEqual([45, 45]);
    expect(a.counts.get('guard_store_unanswered_total take')).toBeGreaterThanOrEqual(45);
    redis.resume();
    await isAway(0);
    expect([take(a, 100), take(b, 100)]).toEqual([0, 0]);
    // 20 requests later the budget is shared: the first instance to take them tells the other.
    a.time.now += (HOUR_MS / 45) * 20;
    b.time.now += (HOUR_MS / 45) * 20;
    expect(take(a, 100)).toBe(20);
    await told(a);
    expect(take(b, 1)).toBe(1);
    await told(b);
    await Promise.all([a.store.close(), b.store.close()]);
  });

  /** How often Redis was asked to run a script that it has. */
  async function calls(): Promise<number> {
    const stats = await redis.ask<string>('INFO', 'commandstats');
    const [, evalsha = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(stats) ?? [];
    return Number(evalsha);
  }
});
