import { setImmediate as turn } from 'node:timers/promises';
import { Patience } from '@guard/config/time/patience';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../../test/kit/free-port.ts';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { type SlowLine, openSlowLine } from '../../../../test/kit/visitors/slow-line.ts';
import { session } from '../testing/store-contract.ts';
import { type Instance, openInstance } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;
const BUDGET = { requests: 3, perMs: HOUR_MS };

describe.skipIf(!hasRedis)('a Redis that goes away', () => {
  let redis: RedisServer;
  let instance: Instance;
  beforeEach(async () => {
    redis = await startRedis();
    instance = await openInstance(redis.url);
  });
  afterEach(async () => {
    await instance.store.close();
    await redis.stop();
  });

  const readAwayGauge = () => Promise.resolve(instance.gauge('guard_store_away'));
  const waitUntilAway = () => poll(readAwayGauge, (value) => value === 1);
  const waitUntilBack = () => poll(readAwayGauge, (value) => value === 0);
  const events = () => instance.log.map(({ event }) => event);
  const unanswered = (operation: string) =>
    instance.counts.get(`guard_store_unanswered_total ${operation}`) ?? 0;

  test('while it is stopped (SIGSTOP), known sessions and budgets work, and no ticket is spent, and later it is used again', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    for (let i = 0; i < 2; i++) expect(await store.take('b', 'k', BUDGET)).toBe(0);
    redis.pause();

    expect(await store.session('s')).toMatchObject(session);
    expect(await store.session('stranger')).toBeUndefined();
    // This instance has already used two of three requests, so one is left.
    expect(await store.take('b', 'k', BUDGET)).toBe(0);
    expect(await store.take('b', 'k', BUDGET)).toBeGreaterThan(0);
    await expect(store.spend('t', HOUR_MS)).rejects.toThrow('the shared store is away');
    await expect(store.keepSession('s2', session, HOUR_MS)).rejects.toThrow('away');
    expect(await store.newest('lists', 1_000)).toBeUndefined();
    expect(await readAwayGauge()).toBe(1);
    // The store no longer waits for Redis, so the answer is synchronous.
    expect(store.session('s')).toMatchObject(session);
    expect(['session', 'take', 'spend', 'keep_session'].map(unanswered)).toEqual([3, 2, 1, 1]);

    redis.resume();
    await waitUntilBack();
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    expect(await store.session('s')).toMatchObject(session);
    expect(events()).toEqual(['store_away', 'store_back']);
    expect(instance.log[0]?.fields).toBe('{"reason":"timeout"}');
  });

  test('is noticed without a request', async () => {
    redis.pause();
    await waitUntilAway();
    redis.resume();
    await waitUntilBack();
    expect([...instance.counts]).toEqual([]);
  });

  test('rejects a spend without an answer, and the ticket cannot be spent again', async () => {
    redis.pause();
    await expect(instance.store.spend('t', HOUR_MS)).rejects.toThrow('away');
    redis.resume();
    await waitUntilBack();
    const spends = await Promise.all([1, 2, 3].map(() => instance.store.spend('t', HOUR_MS)));
    expect(spends.filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  test('after SIGKILL and a new start, tickets stay spent, and visitors who passed stay verified', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    await redis.kill();
    await waitUntilAway();
    expect(await store.session('s')).toMatchObject(session);
    await redis.restart();
    await waitUntilBack();
    expect(await store.spend('t', HOUR_MS)).toBe(false);
    const otherInstance = await openInstance(redis.url);
    expect(await otherInstance.store.session('s')).toMatchObject(session);
    await otherInstance.store.close();
  });

  test('is away while it is full (OOM), until it accepts writes again', async () => {
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    expect(await instance.store.take('b', 'k', BUDGET)).toBe(0);
    expect(await readAwayGauge()).toBe(1);
    expect(instance.log[0]?.fields).toBe('{"reason":"OOM"}');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await waitUntilBack();
    expect(await instance.store.spend('t', HOUR_MS)).toBe(true);
  });

  test('is not away when the process itself was busy', async () => {
    const { store } = instance;
    const unsentTake = Promise.resolve(store.take('b', 'before', BUDGET));
    beBusy(400);
    expect(await unsentTake).toBe(0);
    const sentTake = Promise.resolve(store.take('b', 'behind', BUDGET));
    await turn();
    await turn();
    beBusy(400);
    expect(await sentTake).toBe(0);
    expect([events(), [...instance.counts]]).toEqual([[], []]);
  });

  test('is not away when the process was busy during the connection attempt', async () => {
    // The spy changes only the probe's time limit, which ends before the time limit for the connection.
    const spy = vi.spyOn(Patience.prototype, 'begin').mockImplementation(function (
      this: Patience,
      late,
    ) {
      if (this.limitMs < 1_000) late('busy');
      return { late, begunAt: 0, countedAt: 0 };
    });
    const otherInstance = await openInstance(redis.url).finally(() => spy.mockRestore());
    expect([otherInstance.gauge('guard_store_away'), otherInstance.log]).toEqual([0, []]);
    await otherInstance.store.close();
  });

  test('a thousand questions at once to a hanging Redis all end, and later questions are not sent', async () => {
    redis.pause();
    const takes = Array.from({ length: 1_000 }, (_, i) =>
      Promise.resolve(instance.store.take('b', `${i}`, BUDGET)),
    );
    expect(new Set(await Promise.all(takes))).toEqual(new Set([0]));
    expect(events()).toEqual(['store_away']);
    redis.resume();
    await waitUntilBack();
  });
});

describe.skipIf(!hasRedis)('a Redis that is slow', () => {
  let redis: RedisServer;
  let slowLine: SlowLine;
  let instance: Instance;
  beforeEach(async () => {
    redis = await startRedis();
    slowLine = await openSlowLine(redis.port);
    instance = await openInstance(`redis://127.0.0.1:${slowLine.port}`);
  });
  afterEach(async () => {
    await instance.store.close();
    await slowLine.close();
    await redis.stop();
  });
  const readAwayGauge = () => Promise.resolve(instance.gauge('guard_store_away'));

  test('is used while it answers within the time limit of a decision', async () => {
    slowLine.delayMs = 20;
    for (let i = 0; i < 3; i++) expect(await instance.store.take('b', 'k', BUDGET)).toBe(0);
    expect(await instance.store.take('b', 'k', BUDGET)).toBeGreaterThan(0);
    expect(await instance.store.spend('t', HOUR_MS)).toBe(true);
    expect([instance.log, [...instance.counts]]).toEqual([[], []]);
  });

  test('is not used while it answers after the time limit of a decision', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    slowLine.delayMs = 250;
    expect(await store.take('b', 'k', BUDGET)).toBe(0);
    expect(await readAwayGauge()).toBe(1);
    expect(await store.session('s')).toMatchObject(session);
    // Redis accepts connections and answers, but Guard gives up each connection, because it is too slow.
    const before = slowLine.connections;
    await poll(
      () => Promise.resolve(slowLine.connections),
      (connections) => connections >= before + 2,
    );
    expect(instance.log).toEqual([{ event: 'store_away', fields: '{"reason":"timeout"}' }]);
    slowLine.delayMs = 0;
    await poll(readAwayGauge, (value) => value === 0);
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    expect(instance.log.map(({ event }) => event)).toEqual(['store_away', 'store_back']);
  });
});

describe.skipIf(!hasRedis)('a Redis that is not there yet', () => {
  test('does not delay the start, and is used as soon as it is there', async () => {
    const port = await freePort();
    const instance = await openInstance(`redis://127.0.0.1:${port}`);
    expect(instance.gauge('guard_store_away')).toBe(1);
    expect(await instance.store.take('b', 'k', BUDGET)).toBe(0);
    const redis = await startRedis([], port);
    await poll(
      () => Promise.resolve(instance.gauge('guard_store_away')),
      (value) => value === 0,
    );
    expect(await instance.store.spend('t', HOUR_MS)).toBe(true);
    await instance.store.close();
    await redis.stop();
  });

  test('a wrong password is reported, and no log contains it', async () => {
    const redis = await startRedis(['--requirepass', 'right-password']);
    const { port } = redis;
    const refused = await openInstance(`redis://:wrong-password@127.0.0.1:${port}`);
    expect(refused.gauge('guard_store_away')).toBe(1);
    expect(refused.log).toEqual([{ event: 'store_away', fields: '{"reason":"WRONGPASS"}' }]);
    const admitted = await openInstance(`redis://default:right-password@127.0.0.1:${port}`);
    expect(admitted.gauge('guard_store_away')).toBe(0);
    expect(await admitted.store.spend('t', HOUR_MS)).toBe(true);
    await Promise.all([refused.store.close(), admitted.store.close()]);
    await redis.stop();
  });
});

/** Blocks the event loop of this process, as a burst of work does. */
function beBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
