import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../../../../test/kit/http.ts';
import { startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { startWatchedRedis, type WatchedRedis } from '../../../../test/kit/peers/sentinels.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { session } from '../testing/store-contract.ts';
import { primaryOf } from './sentinels.ts';
import { openPatientInstance } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;
const QUARTER_SECOND_MS = 250;

describe.skipIf(!hasRedis)('a primary that Sentinels watch', () => {
  let watched: WatchedRedis;
  beforeAll(async () => {
    watched = await startWatchedRedis();
  });
  afterAll(() => watched.stop());

  test('when store.url is the address of a Sentinel, the refusal names the right setting', async () => {
    const { store } = await openPatientInstance(`redis://${watched.sentinels[0] ?? ''}`);
    expect(store.refusal).toMatch(/^this is a Sentinel\. List it in store\.sentinels/);
    await store.close();
  });

  test('after SIGKILL under load, the store continues with the next primary and its data', async () => {
    const { url, sentinels, primary, replica } = watched;
    const instance = await openPatientInstance(url, Date.now(), sentinels);
    const { store } = instance;
    expect(instance.gauge('guard_store_away')).toBe(0);
    await store.keepSession('kept', session, HOUR_MS);
    await poll(
      () => replica.ask('EXISTS', 'guard:1:session:kept'),
      (exists) => exists === 1,
    );

    const answers = { spent: 0, refused: 0 };
    const loadEnd = new AbortController();
    const load = (async () => {
      for (let ticket = 0; !loadEnd.signal.aborted; ticket += 1) {
        const spend = () => store.spend(`t${ticket}`, HOUR_MS).catch(() => undefined);
        const twoSpends = [await spend(), await spend()];
        expect(twoSpends.filter((answer) => answer === true).length).toBeLessThan(2);
        if (twoSpends.includes(true)) answers.spent += 1;
        else answers.refused += 1;
        await sleep(5);
      }
    })();
    await sleep(QUARTER_SECOND_MS);
    const before = answers.spent;
    expect(before).toBeGreaterThan(0);
    await primary.kill();
    const readAwayGauge = () => Promise.resolve(instance.gauge('guard_store_away'));
    await poll(readAwayGauge, (value) => value === 1);
    await poll(readAwayGauge, (value) => value === 0);
    await sleep(QUARTER_SECOND_MS);
    loadEnd.abort();
    await load;
    expect(answers.spent).toBeGreaterThan(before);
    expect(await replica.ask<unknown[]>('ROLE')).toContain('master');
    const otherInstance = await openPatientInstance(url, Date.now(), sentinels);
    expect(await otherInstance.store.session('kept')).toMatchObject(session);
    expect(instance.log.map(({ event }) => event)).toEqual(['store_away', 'store_back']);
    await Promise.all([store.close(), otherInstance.store.close()]);
  });
});

describe.skipIf(!hasRedis)('a server that can never be the store', () => {
  test('Guard recognises a Redis Cluster, although its server accepts the first write', async () => {
    const redis = await startRedis(['--cluster-enabled', 'yes']);
    const slots = Array.from({ length: 16_384 }, (_, slot) => `${slot}`);
    await redis.ask('CLUSTER', 'ADDSLOTS', ...slots);
    await poll(
      () => redis.ask<string>('CLUSTER', 'INFO'),
      (info) => info.includes('cluster_state:ok'),
    );
    const { store, log } = await openPatientInstance(redis.url);
    expect(store.refusal).toMatch(/^this is a Redis Cluster, .* store\.sentinels/);
    expect(log).toEqual([{ event: 'store_away', fields: '{"reason":"cluster"}' }]);
    await store.close();
    await redis.stop();
  });
});

test('Guard closes its connection to a silent Sentinel', async () => {
  const openSockets = new Set<Socket>();
  const server = createServer((socket) => {
    openSockets.add(socket.resume());
    socket.on('error', () => undefined).on('close', () => openSockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const primaryUrl = primaryOf('redis://user:password@main/0', [`127.0.0.1:${port}`]);
  await poll(
    () => Promise.resolve(openSockets.size),
    (size) => size === 1,
  );
  await poll(
    () => Promise.resolve(openSockets.size),
    (size) => size === 0,
  );
  expect(await primaryUrl).toBeUndefined();
  await new Promise((resolve) => server.close(resolve));
});
