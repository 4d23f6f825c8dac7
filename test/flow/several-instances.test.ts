import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { jsonText, keepFile } from '../../server/src/process/keep-file.ts';
import { robot } from '../attack/challenged-visitor.ts';
import { type Answer, poll, send } from '../kit/http.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { ORIGIN_PAGE } from '../kit/origins/recording-origin.ts';
import {
  answerAt,
  challengeAt,
  navigate,
  passAt,
  storeIs,
  useSharedStore,
} from '../kit/product/shared-store.ts';
import type { Product } from '../kit/product/start-product.ts';
import { INSTALLATION_SECRET, productSettings } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasRedis } from '../kit/tools.ts';
import { curl } from '../kit/visitors/visitors.ts';

/**
 * In these tests three instances share one Redis. Visitors notice no difference between the instances. Each instance
 * works on when the Redis is away.
 */

const FOLDER = testFolder();
const SETTINGS_FILE = join(FOLDER, 'guard.yaml');
const LIMIT = { requests: 60, per: '1h', by: ['ip'] };
const NEXT_SECRET = 'flow-tests-next-6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f';

describe.skipIf(!hasRedis)('three instances that share a Redis', () => {
  const sharedStore = useSharedStore(
    [
      { name: 'few', match: { path: '/few/**' }, rate_limit: LIMIT, verdict: 'allow' },
      { name: 'everybody', match: {}, detect: true, challenge: 'always' },
    ],
    // The visitors of these tests load page after page, as programs do. So the check `session_shape` is off.
    { challenge: { session_limits: { pages_per_hour: 45 }, session_shape: false } },
  );

  const instanceAt = (index: number): Product => {
    const instance = sharedStore.instances[index % 3];
    if (!instance) throw new Error('no instance');
    return instance;
  };

  const requestAt = (instance: Product, ip: string, path: string) =>
    send(`${instance.addresses.gateway}${path}`, {
      headers: { ...curl, host: 'shop.example', 'x-forwarded-for': ip },
    });

  test('a visitor who got the challenge of one instance and answered at another has passed at all of them', async () => {
    for (let i = 0; i < 3; i++) {
      const page = await challengeAt(instanceAt(i));
      expect((await answerAt(instanceAt(i + 1), page)).body).toBe('{"result":"reload"}');
      for (let k = 0; k < 9; k++) {
        const answer = await navigate(instanceAt(i + 2 + k), `/page/${i}/${k}`, {
          cookie: page.session,
        });
        expect(answer.body).toBe(ORIGIN_PAGE);
      }
    }
  });

  test('contract 3: a visitor who failed the challenge of one instance is blocked at all of them', async () => {
    const page = await challengeAt(instanceAt(0));
    await answerAt(instanceAt(1), page, robot);
    for (let i = 0; i < 6; i++) {
      const { status, body } = await navigate(instanceAt(i), `/failed/${i}`, {
        cookie: page.session,
      });
      expect([status, body.includes('data-ticket=')]).toEqual([403, false]);
    }
  });

  test('a limit of 60 lets 60 of 240 requests pass when they are spread over the instances', async () => {
    const answers = await Promise.all(
      Array.from({ length: 240 }, (_, i) => requestAt(instanceAt(i), '198.51.100.9', `/few/${i}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(180);
  });

  test('a pass gives at least 45 pages and only a few more, at an instance with one thread and an instance with three threads together', async () => {
    const threadedInstance = await sharedStore.start({ workers: 3 });
    const visit = async (i: number, cookie: string) => {
      const { body } = await navigate(
        i % 2 === 0 ? instanceAt(1) : threadedInstance,
        `/page/${i}`,
        {
          cookie,
        },
      );
      return body === ORIGIN_PAGE;
    };
    try {
      const firstPass = await passAt(instanceAt(0));
      let pages = 0;
      for (let i = 0; i < 80; i++) if (await visit(i, firstPass)) pages += 1;
      // An instance can give one more page before it learns from Redis that another instance gave the last one. From a
      // busy Redis it learns this later.
      expect(pages).toBeGreaterThanOrEqual(45);
      expect(pages).toBeLessThanOrEqual(55);

      const secondPass = await passAt(instanceAt(0));
      const visits = Array.from({ length: 200 }, (_, i) => visit(i, secondPass));
      const givenCount = (await Promise.all(visits)).filter(Boolean).length;
      // Before the first reply of Redis, each thread gives 20 pages at most.
      expect(givenCount).toBeGreaterThanOrEqual(45);
      expect(givenCount).toBeLessThanOrEqual(45 + 4 * 20);
      for (let i = 0; i < 6; i++) expect(await visit(i, secondPass)).toBe(false);
    } finally {
      await threadedInstance.stop();
    }
  });

  test('100 concurrent uploads of one answer, spread over the instances, verify the session exactly once', async () => {
    const page = await challengeAt(instanceAt(0));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => answerAt(instanceAt(i), page)),
    );
    expect(answers.filter(({ body }) => body === '{"result":"reload"}')).toHaveLength(1);
    expect(answers.filter(({ body }) => body === '{"result":"retry"}')).toHaveLength(99);
    expect((await navigate(instanceAt(1), '/minted', { cookie: page.session })).body).toBe(
      ORIGIN_PAGE,
    );
  });

  test('an operator can change a secret on one instance after the other, without a challenge for visitors', async () => {
    const cookieBefore = await passAt(instanceAt(0));
    const rotatedInstance = await sharedStore.start({ secret: [NEXT_SECRET, INSTALLATION_SECRET] });
    try {
      expect((await navigate(rotatedInstance, '/kept', { cookie: cookieBefore })).body).toBe(
        ORIGIN_PAGE,
      );
      const page = await challengeAt(instanceAt(0));
      expect((await answerAt(rotatedInstance, page)).body).toBe('{"result":"reload"}');
      expect((await navigate(instanceAt(1), '/answered', { cookie: page.session })).body).toBe(
        ORIGIN_PAGE,
      );
      // A session that was signed with the new secret is valid at the other instances when its challenge has been
      // passed.
      const after = await passAt(rotatedInstance);
      expect((await navigate(instanceAt(2), '/new', { cookie: after })).body).toBe(ORIGIN_PAGE);
    } finally {
      await rotatedInstance.stop();
    }
  });

  test('a temporary decision reaches all instances, an instance that starts later and all its threads, and applies while Redis is away', async () => {
    const store = { engine: 'redis', url: sharedStore.redis.url };
    const settings = productSettings(sharedStore.origin.url, { top: { store } });
    writeFileSync(SETTINGS_FILE, stringify(settings));
    const guard = (...args: readonly string[]) => runCommand(...args, '--config', SETTINGS_FILE);
    const blockRun = await guard('block', '2001:db8:7::/64', '--for', '1h', '--because', 'x');
    expect(blockRun.code).toBe(0);
    const visit = (instance: Product) => requestAt(instance, '2001:db8:7::9', '/few/decided');
    const isBlocked = ({ status }: Answer) => status === 403;
    for (const instance of sharedStore.instances) await poll(() => visit(instance), isBlocked);
    const laterInstance = await sharedStore.start({ workers: 2 });
    try {
      // Each request has a new connection, so each of the two threads gets some requests.
      const answers = await Promise.all(Array.from({ length: 20 }, () => visit(laterInstance)));
      expect(answers.every(isBlocked)).toBe(true);
      await sharedStore.redis.kill();
      expect(isBlocked(await visit(laterInstance))).toBe(true);
      const failedRun = await guard('decisions');
      expect([failedRun.code, failedRun.stderr]).toEqual([
        1,
        'guard decisions: the Redis of the settings gives no answer\n',
      ]);
    } finally {
      await laterInstance.stop();
      await sharedStore.redis.restart();
    }
    await storeIs('there', sharedStore.instances);
  });

  test('contract 1: an instance logs that its lists of crawler addresses are older than those of another instance', async () => {
    const folder = join(FOLDER, 'ranges');
    mkdirSync(folder);
    const { lists, oldestListAt = 0 } = CrawlerCatalogue.load();
    const refreshedAt = Math.round(Date.now() / 1000) * 1000;
    for (const { file, sourceUrl, entries } of lists) {
      const v6 = entries.filter((entry) => entry.includes(':'));
      const v4 = entries.filter((entry) => !entry.includes(':'));
      const fetched_at = new Date(refreshedAt).toISOString();
      const ranges = { fetched_at, sources: [{ url: sourceUrl, v4, v6 }] };
      await keepFile(join(folder, `${file}.json`), jsonText(ranges));
    }
    const currentInstance = await sharedStore.start({ crawlers: { ranges: folder } });
    const outdatedInstance = await sharedStore.start();
    try {
      const METRIC = 'guard_crawler_ranges_behind_seconds';
      await poll(
        () => metricOf(outdatedInstance, METRIC),
        (seconds) => seconds === (refreshedAt - oldestListAt) / 1000,
      );
      expect(outdatedInstance.log()).toContain('"event":"crawler_ranges_behind"');
      expect(await metricOf(currentInstance, METRIC)).toBe(0);
      expect(currentInstance.log()).not.toContain('crawler_ranges_behind');
    } finally {
      await Promise.all([currentInstance.stop(), outdatedInstance.stop()]);
    }
  });

  test('contract 8: while Redis hangs (SIGSTOP) each decision comes within 500 ms, visitors are served, and the store is used again afterwards', async () => {
    const session = await passAt(instanceAt(0));
    for (let i = 0; i < 3; i++) await navigate(instanceAt(i), '/known', { cookie: session });
    sharedStore.redis.pause();
    try {
      const failOpenCountBefore = await failOpenCount();
      const answers = await Promise.all(
        Array.from({ length: 45 }, (_, i) =>
          navigate(instanceAt(i), `/hung/${i}`, { cookie: session }),
        ),
      );
      expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([ORIGIN_PAGE]));
      const limitedAnswers = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          requestAt(instanceAt(i), '198.51.100.77', `/few/hung/${i}`),
        ),
      );
      expect(new Set(limitedAnswers.map(({ status }) => status))).toEqual(new Set([200]));
      // For a decision that takes more than 500 ms, the gateway would fail open.
      expect(await failOpenCount()).toBe(failOpenCountBefore);
      await storeIs('away', sharedStore.instances);

      // Contract 3, "session storage unavailable": the page shows the retry screen, the session stays unverified, and
      // the visitor is challenged again.
      const page = await challengeAt(instanceAt(0));
      expect((await answerAt(instanceAt(0), page)).status).toBe(503);
      expect((await navigate(instanceAt(0), '/', { cookie: page.session })).status).toBe(403);
      expect(
        await metricOf(instanceAt(0), 'guard_store_unanswered_total{operation="spend"}'),
      ).toBeGreaterThan(0);
    } finally {
      sharedStore.redis.resume();
    }
    await storeIs('there', sharedStore.instances);
    const page = await challengeAt(instanceAt(1));
    expect((await answerAt(instanceAt(2), page)).body).toBe('{"result":"reload"}');
    for (const instance of sharedStore.instances) {
      expect(instance.log()).toContain('"event":"store_away"');
      expect(instance.log()).toContain('"event":"store_back"');
    }
  });

  test('after Redis was killed (SIGKILL) and restarted, visitors keep their passes, and new visitors pass', async () => {
    const session = await passAt(instanceAt(0));
    await navigate(instanceAt(0), '/known', { cookie: session });
    await sharedStore.redis.kill();
    await storeIs('away', sharedStore.instances);
    expect((await navigate(instanceAt(0), '/killed', { cookie: session })).body).toBe(ORIGIN_PAGE);
    await sharedStore.redis.restart();
    await storeIs('there', sharedStore.instances);
    expect((await navigate(instanceAt(2), '/restarted', { cookie: session })).body).toBe(
      ORIGIN_PAGE,
    );
    const nextPass = await passAt(instanceAt(1));
    expect((await navigate(instanceAt(2), '/next', { cookie: nextPass })).body).toBe(ORIGIN_PAGE);
  });

  /** The number of requests at all instances that passed because a decision failed or came too late. */
  async function failOpenCount(): Promise<number> {
    const reasons = ['timeout', 'server_error'];
    const counts = sharedStore.instances.flatMap((instance) =>
      reasons.map((reason) =>
        metricOf(instance, `guard_gateway_fail_open_total{reason="${reason}"}`),
      ),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }
});
