import { sessionRoot } from '@guard/config/contract/session-root';
import { expect, test } from 'vitest';
import { openPatientInstance } from '../../validator/src/session/redis/testing/open-stores.ts';
import { startRedis } from '../kit/peers/redis-server.ts';
import { hasRedis } from '../kit/tools.ts';
import { serveValidator } from '../spec/serve-validator.ts';
import { openPage, post, uploadOf } from './challenged-visitor.ts';
import { countedStore } from './counted-store.ts';

const RULES = '[{ name: r, match: {}, challenge: always }]';

test.skipIf(!hasRedis)(
  '100 concurrent uploads of one answer to 3 instances with one Redis create exactly one session',
  async () => {
    const redis = await startRedis();
    const stores = await Promise.all([1, 2, 3].map(() => openPatientInstance(redis.url)));
    const instances = await Promise.all(
      stores.map(({ store }) => serveValidator({ store, rules: RULES })),
    );
    const [first] = instances;
    if (!first) throw new Error('no instance');

    const visitor = await openPage(first);
    const submit = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => post(instances[i % 3] ?? first, uploadOf(visitor))),
      );
    const answers = await submit(100);
    expect(answers.filter(({ body }) => body === '{"result":"reload"}')).toHaveLength(1);
    expect(answers.filter(({ body }) => body === '{"result":"retry"}')).toHaveLength(99);
    // The ticket stays spent when its session is deleted.
    expect(await redis.ask('DEL', `guard:1:session:${sessionRoot(visitor.session)}`)).toBe(1);
    const laterAnswers = await submit(10);
    expect(new Set(laterAnswers.map(({ body }) => body))).toEqual(new Set(['{"result":"retry"}']));
    expect(new Set(laterAnswers.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(stores.map(({ store }) => store.close()));
    await redis.stop();
  },
);

test('an instance accepts the ticket of another instance while their clocks differ by at most one minute', async () => {
  const { store, keptSessions } = countedStore();
  const [ahead, behind] = await Promise.all(
    [1, 2].map(() => serveValidator({ store, rules: RULES })),
  );
  if (!ahead || !behind) throw new Error('no instance');
  ahead.time.now += 60_000;
  expect((await post(behind, uploadOf(await openPage(ahead)))).body).toContain('reload');
  expect(keptSessions).toHaveLength(1);
  ahead.time.now += 1;
  expect((await post(behind, uploadOf(await openPage(ahead)))).body).toContain('retry');
  expect(keptSessions).toHaveLength(1);
});
