import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { resolveSession } from '../resolve.ts';
import { createSealer } from '../sealer.ts';
import { createSessionIds } from '../session-id.ts';
import { session } from '../testing/store-contract.ts';
import { countCalls, type Instance, openPatientInstance } from './testing/open-stores.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_800_000_000_000;
const VISITOR = {
  client: '',
  organisation: session.organisation,
  userAgentHash: session.userAgentHash,
  ip: '192.0.2.1',
};

const oldSecret = createSessionIds(createSealer(['the secret of these tests'], 'session'));
const newSecret = createSessionIds(createSealer(['the next secret of these tests'], 'session'));

describe.skipIf(!hasRedis)('ids without a MAC of this instance, with Redis', () => {
  let redis: RedisServer;
  let instance: Instance;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.ask('FLUSHALL');
    await redis.ask('CONFIG', 'RESETSTAT');
    instance = await openPatientInstance(redis.url, NOW);
  });
  afterEach(() => instance.store.close());

  const resolveCookie = async (cookie: string) =>
    resolveSession([cookie], VISITOR, instance.store, oldSecret, () => instance.time.now);
  const stateOf = async (cookie: string) => (await resolveCookie(cookie)).state;

  const askForInventedIds = (count: number) =>
    Promise.all(Array.from({ length: count }, () => stateOf(randomUUID())));

  test('contract 2.1: a malformed value is no session, and causes no question to Redis', async () => {
    for (const text of ['', 'x', 'g'.repeat(36), '-'.repeat(36), ' '.repeat(36)]) {
      expect(await stateOf(text)).toBe('none');
    }
    expect(await countCalls(redis, 'get')).toBe(0);
  });

  test('3,000 invented ids are no sessions, and cause at most 1,000 questions', async () => {
    expect(new Set(await askForInventedIds(3_000))).toEqual(new Set(['none']));
    expect(await countCalls(redis, 'get')).toBe(1_000);
    instance.time.now += 20;
    await askForInventedIds(50);
    expect(await countCalls(redis, 'get')).toBe(1_010);
  });

  test('ids with a MAC of this instance are still looked up during a flood', async () => {
    await askForInventedIds(2_000);
    const before = await countCalls(redis, 'get');
    const [judged, issued] = [oldSecret.mint('acme'), oldSecret.mint('acme')];
    await instance.store.keepSession(judged, { ...session, newest: judged }, HOUR_MS);
    expect(await stateOf(judged)).toBe('verified');
    expect(await stateOf(judged.toUpperCase())).toBe('verified');
    expect(await stateOf(issued)).toBe('issued');
    expect(await countCalls(redis, 'get')).toBe(before + 2);
  });

  test('during a rotation, known sessions of the next secret are found even in a flood', async () => {
    const otherInstance = await openPatientInstance(redis.url, NOW);
    const [earlySession, lateSession] = [newSecret.mint('acme'), newSecret.mint('acme')];
    await otherInstance.store.keepSession(
      earlySession,
      { ...session, newest: earlySession },
      HOUR_MS,
    );
    await otherInstance.store.keepSession(
      lateSession,
      { ...session, newest: lateSession },
      HOUR_MS,
    );
    await otherInstance.store.close();
    expect(await stateOf(earlySession)).toBe('verified');
    await askForInventedIds(2_000);
    // The copy is older than a second, so Redis is asked again. The limit for unknown ids does not apply.
    instance.time.now += 1_500;
    await askForInventedIds(2_000);
    expect(await stateOf(earlySession)).toBe('verified');
    // A limit of this protection: an unknown session is refused during the flood, and found only after the flood.
    expect(await stateOf(lateSession)).toBe('none');
    instance.time.now += 2;
    expect(await stateOf(lateSession)).toBe('verified');
  });
});
