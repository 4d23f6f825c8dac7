import { setImmediate as turn } from 'node:timers/promises';
import { Patience } from '@guard/config/time/patience';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../../test/kit/free-port.ts';
import { poll } from '../../../../test/kit/http.ts';
import { type RedisServer, startRedis } from '../../../../test/kit/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { type SlowLine, openSlowLine } from '../../../../test/kit/slow-line.ts';
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

  const isAway = () => Promise.resolve(instance.gauge('guard_store_away'));
  const away = () => poll(isAway, (value) => value === 1);
  const back = () => poll(isAway, (value) => value === 0);
  const events = () => instance.log.map(({ event }) => event);
  const unanswered = (operation: string) =>
    instance.counts.get(`guard_store_unanswered_total ${operation}`) ?? 0;

  test('stopped (SIGSTOP): known sessions and budgets work, nothing is spent, and Redis comes back', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    for (let i = 0; i < 2; i++) expect(await store.take('b', 'k', BUDGET)).toBe(0);
    redis.pause();

    expect(await store.session('s')).toMatchObject(session);
    expect(await store.session('stranger')).toBeUndefined();
    // Two of three were used before, at this instance: one is left, and then none.
    expect(await store.take('b', 'k', BUDGET)).toBe(0);
    expect(await store.take('b', 'k', BUDGET)).toBeGreaterThan(0);
    await expect(store.spend('t', HOUR_MS)).rejects.toThrow('the shared store is away');
    await expect(store.keepSession('s2', session, HOUR_MS)).rejects.toThrow('away');
    expect(await store.newest('lists', 1_000)).toBeUndefined();
    expect(await isAway()).toBe(1);
    // Nothing waits any more: the answer is there at once.
    expect(store.session('s')).toMatchObject(session);
    expect(['session', 'take', 'spend', 'keep_session'].map(unanswered)).toEqual([3, 2, 1, 1]);

    redis.resume();
    await back();
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    expect(await store.session('s')).toMatchObject(session);
    expect(events()).toEqual(['store_away', 'store_back']);
    expect(instance.log[0]?.fields).toBe('{"reason":"timeout"}');
  });

  test('it is noticed without a request', async () => {
    redis.pause();
    await away();
    redis.resume();
    await back();
    expect([...instance.counts]).toEqual([]);
  });

  test('a spend without an answer is refused, and the ticket cannot be spent again', async () => {
    redis.pause();
    await expect(instance.store.spend('t', HOUR_MS)).rejects.toThrow('away');
    redis.resume();
    await back();
    const spends = await Promise.all([1, 2, 3].map(() => instance.store.spend('t', HOUR_MS)));
    expect(spends.filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  test('killed (SIGKILL) and started again: tickets stay spent, and visitors who passed stay verified', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    await redis.kill();
    await away();
    expect(await store.session('s')).toMatchObject(session);
    await redis.restart();
    await back();
    expect(await store.spend('t', HOUR_MS)).toBe(false);
    const stranger = await openInstance(redis.url);
    expect(await stranger.store.session('s')).toMatchObject(session);
    await stranger.store.close();
  });

  test('full (OOM): it counts as away until it accepts writes again', async () => {
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    expect(await instance.store.take('b', 'k', BUDGET)).toBe(0);
    expect(await isAway()).toBe(1);
    expect(instance.log[0]?.fields).toBe('{"reason":"OOM"}');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await back();
    expect(await instance.store.spend('t', HOUR_MS)).toBe(true);
  });

  test('a process that was busy itself does not treat Redis as away', async () => {
    const { store } = instance;
    const unsent = Promise.resolve(store.take('b', 'before', BUDGET));
    beBusy(400);
    expect(await unsent).toBe(0);
    const sent = Promise.resolve(store.take('b', 'behind', BUDGET));
    await turn();
    await turn();
    beBusy(400);
    expect(await sent).toBe(0);
    expect([events(), [...instance.counts]]).toEqual([[], []]);
  });

  test('a process that was busy while it connected does not either', async () => {
    // The wait for the probe, which lies within that for the connection.
    const spy = vi.spyOn(Patience.prototype, 'begin').mockImplementation(function (
      this: Patience,
      late,
    ) {
      if (this.limitMs < 1_000) late('busy');
      return { late, begunAt: 0, countedAt: 0 };
    });
    const other = await openInstance(redis.url).finally(() => spy.mockRestore());
    expect([other.gauge('guard_store_away'), other.log]).toEqual([0, []]);
    await other.store.close();
  });

  test('a thousand questions at once to a hanging Redis are all answered, and it is not asked again', async () => {
    redis.pause();
    const asked = Array.from({ length: 1_000 }, (_, i) =>
      Promise.resolve(instance.store.take('b', `${i}`, BUDGET)),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set([0]));
    expect(events()).toEqual(['store_away']);
    redis.resume();
    await back();
  });
});

describe.skipIf(!hasRedis)('a Redis that is slow', () => {
  let redis: RedisServer;
  let line: SlowLine;
  let instance: Instance;
  beforeEach(async () => {
    redis = await startRedis();
    line = await openSlowLine(redis.port);
    instance = await openInstance(`redis://127.0.0.1:${line.port}`);
  });
  afterEach(async () => {
    await instance.store.close();
    await line.close();
    await redis.stop();
  });
  const isAway = () => Promise.resolve(instance.gauge('guard_store_away'));

  test('less than a decision can wait: it is asked, and everything is shared', async () => {
    line.delayMs = 20;
    for (let i = 0; i < 3; i++) expect(await instance.store.take('b', 'k', BUDGET)).toBe(0);
    expect(await instance.store.take('b', 'k', BUDGET)).toBeGreaterThan(0);
    expect(await instance.store.spend('t', HOUR_MS)).toBe(true);
    expect([instance.log, [...instance.counts]]).toEqual([[], []]);
  });

  test('more than that: decisions go on without it until it answers in time', async () => {
    const { store } = instance;
    await store.keepSession('s', session, HOUR_MS);
    line.delayMs = 250;
    expect(await store.take('b', 'k', BUDGET)).toBe(0);
    expect(await isAway()).toBe(1);
    expect(await store.session('s')).toMatchObject(session);
    // It takes connections, and answers on them; each is refused for its slowness.
    const before = line.connections;
    await poll(
      () => Promise.resolve(line.connections),
      (connections) => connections >= before + 2,
    );
    expect(instance.log).toEqual([{ event: 'store_away', fields: '{"reason":"timeout"}' }]);
    line.delayMs = 0;
    await poll(isAway, (value) => value === 0);
    expect(await store.spend('t', HOUR_MS)).toBe(true);
    expect(instance.log.map(({ event }) => event)).toEqual(['store_away', 'store_back']);
  });
});

describe.skipIf(!hasRedis)('a Redis that is not there yet', () => {
  test('does not delay the start, and is used when it comes', async () => {
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

/** Holds up this process, as a burst of work does. */
function beBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
