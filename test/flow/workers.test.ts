import { describe, expect, test } from 'vitest';
import { writeUpload } from '../../validator/src/challenge/testing/answers.ts';
import { person, uploadOf } from '../attack/challenged-visitor.ts';
import { type Answer, poll, send } from '../kit/http.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { ORIGIN_PAGE } from '../kit/origins/recording-origin.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, curl } from '../kit/visitors/visitors.ts';

/**
 * These tests check that all workers have the same sessions and limits. It makes no difference which thread gets a
 * connection.
 */

const LIMIT = { requests: 40, per: '1h', by: ['ip'] };
const testbed = useProduct({
  rules: [
    { name: 'few', match: { path: '/few/**' }, rate_limit: LIMIT },
    { name: 'open', match: { path: ['/few/**', '/open/**'] }, verdict: 'allow' },
    { name: 'free', match: { path: '/free/**' }, detect: true, challenge: 'auto' },
    { name: 'everybody', match: {}, detect: true, challenge: 'always' },
  ],
  organisation: { challenge: { session_limits: { pages_per_hour: 45 }, session_shape: false } },
  top: { workers: 3 },
});

/** The number of requests that the origin has answered. */
let forwarded = 0;

/** Sends one request on a new connection. The kernel gives the connection to any of the threads. */
async function visit(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const url = `${testbed.product.addresses.gateway}${path}`;
  const answer = await send(url, { headers: { ...headers, connection: 'close' } });
  if (answer.body === ORIGIN_PAGE) forwarded += 1;
  return answer;
}

const metric = (name: string) => metricOf(testbed.product, name);

describe('workers: 3', () => {
  const navigating = { ...person.headers, 'sec-fetch-mode': 'navigate', host: 'shop.example' };

  test('three threads serve the gateway', async () => {
    expect(await metric('guard_workers')).toBe(3);
  });

  test('a visitor who passed the challenge at one thread has passed at all of them, and gets the pages of only one pass', async () => {
    const page = await visit('/', navigating);
    const read = (pattern: RegExp) => pattern.exec(page.body)?.[1] ?? '';
    const challenged = {
      ticket: read(/data-ticket="([^"]+)"/),
      session: /_guard=([^;]+)/.exec(String(page.headers['set-cookie']))?.[1] ?? '',
      reference: '',
    };
    expect(challenged.ticket).not.toBe('');
    const upload = await send(`${testbed.product.addresses.gateway}/.guard/verify`, {
      method: 'POST',
      headers: { ...person.headers, host: 'shop.example', 'content-type': 'application/json' },
      body: writeUpload(uploadOf(challenged)),
    });
    expect(upload.status).toBe(200);
    const cookie = `_guard=${challenged.session}`;
    for (let i = 0; i < 40; i++) {
      const { body } = await visit(`/page/${i}`, { ...navigating, cookie });
      expect(body).toBe(ORIGIN_PAGE);
    }
    let more = 0;
    for (let i = 0; i < 60; i++) {
      const { body } = await visit(`/more/${i}`, { ...navigating, cookie });
      if (body === ORIGIN_PAGE) more += 1;
    }
    expect(more).toBe(5);
  });

  test('a limit of 40 requests lets 40 pass, no matter which threads get the connections', async () => {
    const headers = { ...curl, host: 'shop.example', 'x-forwarded-for': '198.51.100.7' };
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) => visit(`/few/${i}`, headers)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(80);
  });

  /** Asks for pages as data, all at once, at an address that loaded a page. */
  async function askAtOnce(count: number, ip: string) {
    const headers = { ...chromeHttp, 'x-forwarded-for': ip };
    expect((await visit('/free/page', headers)).status).toBe(200);
    const release = testbed.origin.hold();
    let refusedCount = 0;
    let pageCount = 0;
    const answers = Array.from({ length: count }, async (_, i) => {
      const path = `/free/${ip}/${i}`;
      const answer = await visit(path, { ...headers, accept: 'application/json' });
      if (answer.body === ORIGIN_PAGE) pageCount += 1;
      else refusedCount += 1;
    });
    const arrivedCount = () =>
      testbed.origin.arrivals.filter(({ url }) => url.startsWith(`/free/${ip}/`)).length;
    await poll(
      () => Promise.resolve(arrivedCount() + refusedCount),
      (decided) => decided === count,
    );
    release();
    await Promise.all(answers);
    return { arrivedCount: arrivedCount(), pageCount };
  }

  test('100 requests for data of an address wait at once, no matter which threads get the connections', async () => {
    const { arrivedCount } = await askAtOnce(400, '198.51.100.8');
    expect(arrivedCount).toBeGreaterThanOrEqual(100);
    // A budget of 100 refills within a minute, so one more request passes every 600 ms.
    expect(arrivedCount).toBeLessThan(150);
  });

  test('50 of 100 pages that are requested as data at once reach the address, no matter which threads get the connections', async () => {
    const { pageCount } = await askAtOnce(100, '198.51.100.9');
    expect(pageCount).toBeGreaterThanOrEqual(50);
    // The budget gets one more document every 12 seconds.
    expect(pageCount).toBeLessThan(55);
  });

  test('every decision of each thread is a row, and every request is counted', async () => {
    const headers = { ...curl, host: 'shop.example', 'user-agent': 'workers-test/1' };
    await Promise.all(Array.from({ length: 100 }, (_, i) => visit(`/open/${i}`, headers)));
    const sql = `SELECT count() AS rows FROM events_distributed
      WHERE user_agent = 'workers-test/1' AND created_at > now() - 60`;
    await poll(
      () => rowsOf<{ rows: string }>(testbed.product, sql),
      ([counted]) => Number(counted?.rows) === 100,
    );
    await poll(
      () => metric('guard_gateway_requests_total{outcome="forwarded"}'),
      (counted) => counted === forwarded,
    );
  });
});

describe('several workers share an address', () => {
  test('of the same Guard, and not with another Guard that is started by mistake', async () => {
    const takenListeners = { gateway: new URL(testbed.product.addresses.gateway).host };
    await expect(
      startProduct(
        productSettings(testbed.origin.url, { top: { workers: 2, listen: takenListeners } }),
      ),
    ).rejects.toThrow('another program listens there');
  });
});
