import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../../test/kit/tools.ts';
import { resolveSession } from '../resolve.ts';
import { createSealer } from '../sealer.ts';
import { createSessionIds } from '../session-id.ts';
import { session } from '../testing/store-contract.ts';
import { type Instance, openPatient } from './testing/open-stores.ts';

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

describe.skipIf(!hasRedis)('ids without our MAC, with a Redis', () => {
  let redis: RedisServer;
  let only: Instance;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.ask('FLUSHALL');
    await redis.ask('CONFIG', 'RESETSTAT');
    only = await openPatient(redis.url, NOW);
  });
  afterEach(() => only.store.close());

  const resolve = async (cookie: string) =>
    resolveSession([cookie], VISITOR, only.store, oldSecret, () => only.time.now);
  const stateOf = async (cookie: string) => (await resolve(cookie)).state;

  /** How many sessions Redis was asked for. */
  async function questions(): Promise<number> {
    const stats = await redis.ask<string>('INFO', 'commandstats');
    return Number(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  }

  const invent = (count: number) =>
    Promise.all(Array.from({ length: count }, () => stateOf(randomUUID())));

  test('contract 2.1: a malformed value is no session, and causes no question to Redis', async () => {
    for (const text of ['', 'x', 'g'.repeat(36), '-'.repeat(36), ' '.repeat(36)]) {
      expect(await stateOf(text)).toBe('none');
    }
    expect(await questions()).toBe(0);
  });

  test('3,000 invented ids are no sessions, and cause at most 1,000 questions', async () => {
    expect(new Set(await invent(3_000))).toEqual(new Set(['none']));
    expect(await questions()).toBe(1_000);
    only.time.now += 20;
    await invent(50);
    expect(await questions()).toBe(1_010);
  });

  test('ids with our MAC are still looked up during a flood', async () => {
    await invent(2_000);
    const before = await questions();
    const [judged, issued] = [oldSecret.mint('acme'), oldSecret.mint('acme')];
    await only.store.keepSession(judged, { ...session, newest: judged }, HOUR_MS);
    expect(await stateOf(judged)).toBe('verified');
    expect(await stateOf(judged.toUpperCase())).toBe('verified');
    expect(await stateOf(issued)).toBe('issued');
    expect(await questions()).toBe(before + 2);
  });

  test('during a rotation, sessions of the next secret are found, also in a flood', async () => {
    const elsewhere = await openPatient(redis.url, NOW);
    const [early, late] = [newSecret.mint('acme'), newSecret.mint('acme')];
    await elsewhere.store.keepSession(early, { ...session, newest: early }, HOUR_MS);
    await elsewhere.store.keepSession(late, { ...session, newest: late }, HOUR_MS);
    await elsewhere.store.close();
    expect(await stateOf(early)).toBe('verified');
    await invent(2_000);
    // The copy is older than a second, so Redis is asked again, but not as for an unknown id.
    only.time.now += 1_500;
    await invent(2_000);
    expect(await stateOf(early)).toBe('verified');
    // A limit of this protection: a session that is refused during the flood is found after the flood.
    expect(await stateOf(late)).toBe('none');
    only.time.now += 2;
    expect(await stateOf(late)).toBe('verified');
  });
});
