import { describe, expect, onTestFinished, test } from 'vitest';
import { childrenOf } from '../kit/children.ts';
import { contextOptionsFor, launchDriven } from '../kit/browsers/driven-chromium.ts';
import { poll, send } from '../kit/http.ts';
import { ORIGIN_PAGE } from '../kit/origins/recording-origin.ts';
import { rowsOf } from '../kit/product/sql.ts';
import {
  ANALYTICS_KEY,
  HEALTH_TOKEN,
  INSTALLATION_SECRET,
  SECRET_KEY,
} from '../kit/product/product-settings.ts';
import { hasWindowedChromium } from '../kit/tools.ts';
import { curl, googlebot, GOOGLEBOT_IP, HOME_IP } from '../kit/visitors/visitors.ts';
import { openInWindow } from '../kit/browsers/windowed-chromium.ts';
import { useProduct } from '../kit/product/use-product.ts';

/**
 * These tests check the main purpose of the product: a script is stopped, a person's browser passes, automation is
 * found, crawlers are verified, and SQL shows all these requests.
 */
const testbed = useProduct({
  rules: [
    {
      name: 'watch',
      match: { path: '/walk' },
      detect: true,
      challenge: 'always',
      monitor: true,
    },
    { name: 'everybody', match: {}, detect: true, challenge: 'always' },
  ],
});

interface EventRow {
  readonly action: string;
  readonly decision: string;
  readonly status_code: number;
  readonly block_reasons: string[];
  readonly block_reason_categories: string[];
  readonly crawler_name: string;
  readonly challenge: string;
}

/** Waits until a path has `count` events, and returns them, oldest first. */
function eventsOf(path: string, count: number, timeoutMs?: number): Promise<EventRow[]> {
  const statement = `SELECT action, decision, status_code, block_reasons, block_reason_categories,
    crawler_name, challenge FROM events_distributed
    WHERE created_at > now() - INTERVAL 1 HOUR AND path = '${path}' ORDER BY created_at`;
  return poll(
    () => rowsOf<EventRow>(testbed.product, statement),
    (rows) => rows.length >= count,
    timeoutMs,
  );
}

const urlOf = (path: string) => `${testbed.product.addresses.gateway}${path}`;

describe('(a) a script on a protected page', () => {
  test('gets 403 with an interstitial and Cache-Control: no-store, again and again', async () => {
    let cookie = '';
    for (let round = 0; round < 3; round++) {
      const headers = cookie === '' ? { ...curl } : { ...curl, cookie };
      const answer = await send(urlOf('/from-a-script'), { headers });
      expect(answer.status).toBe(403);
      expect(answer.headers['cache-control']).toContain('no-store');
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body).toContain('<noscript>');
      const [set = ''] = (answer.headers['set-cookie'] ?? []) as string[];
      if (round === 0)
        expect(set).toMatch(/^_guard=[0-9a-f-]{36}; Path=\/; Max-Age=\d+; SameSite=Lax$/);
      cookie = set === '' ? cookie : (set.split(';', 1)[0] ?? '');
    }
    expect(testbed.origin.arrivals.map(({ url }) => url)).not.toContain('/from-a-script');
  });
});

describe.skipIf(!hasWindowedChromium)("(b) a person's browser", () => {
  test('reaches the page of the origin after one reload, with the cookie _guard', async () => {
    const browser = await openInWindow(urlOf('/from-a-person'));
    try {
      const arrival = await testbed.origin.arrival('/from-a-person');
      expect(arrival.headers.cookie).toMatch(/_guard=[0-9a-f-]{36}/);
      expect(arrival.headers['x-guard-decision']).toBe('allow');
      const events = await eventsOf('/from-a-person', 2);
      expect(events.map(({ action }) => action)).toEqual(['challenge', 'allow']);
      expect(events[1]).toMatchObject({ challenge: 'verified', block_reasons: [] });
    } finally {
      await browser.close();
    }
  });
});

describe('(c) a browser under a driver', () => {
  /** Each test has its own browser, because contexts of one browser process share their cookies. */
  async function openDriven() {
    const browser = await launchDriven();
    onTestFinished(() => browser.close());
    return browser;
  }

  test('is blocked after the challenge with automated_browser', async () => {
    const browser = await openDriven();
    const context = await browser.newContext(contextOptionsFor(browser));
    const page = await context.newPage();
    const first = await page.goto(urlOf('/from-a-driver'));
    expect(first?.status()).toBe(403);
    const events = await eventsOf('/from-a-driver', 2);
    expect(events.map(({ action }) => action)).toEqual(['challenge', 'block']);
    expect(events[1]).toMatchObject({ status_code: 403, challenge: 'rejected' });
    expect(events[1]?.block_reason_categories).toContain('automated_browser');
    expect(testbed.origin.arrivals.map(({ url }) => url)).not.toContain('/from-a-driver');
  });

  test('passes a rule with monitor after the challenge, and the event has the decision block', async () => {
    const page = await (await openDriven()).newPage();
    const first = await page.goto(urlOf('/walk'));
    expect(first?.status()).toBe(403);
    await page.getByText('The origin has answered').waitFor();
    expect(testbed.origin.arrivals.map(({ url }) => url)).toContain('/walk');

    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: '_guard', path: '/', sameSite: 'Lax', httpOnly: false });
    expect(cookie?.domain).toBe('127.0.0.1');
    expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 3600);

    const events = await eventsOf('/walk', 2);
    expect(events).toMatchObject([
      { action: 'challenge', decision: 'block' },
      { action: 'allow', decision: 'block' },
    ]);
    for (const { block_reason_categories: categories } of events) {
      expect(categories).toContain('automated_browser');
    }
  });
});

describe('(d) a crawler', () => {
  test('from its published range is identified and allowed', async () => {
    const headers = { ...googlebot, 'x-forwarded-for': GOOGLEBOT_IP };
    const answer = await send(urlOf('/from-google'), { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe(ORIGIN_PAGE);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test('from another address is a crawler_impersonator', async () => {
    const headers = { ...googlebot, 'x-forwarded-for': HOME_IP };
    const answer = await send(urlOf('/from-an-impersonator'), { headers });
    expect(answer.status).toBe(403);
    expect(testbed.origin.arrivals.map(({ url }) => url)).not.toContain('/from-an-impersonator');
  });
});

describe('(e) SQL shows the same requests within 3 s', () => {
  const WITHIN_MS = 3_000;

  test('with decision, action and reasons', async () => {
    expect((await eventsOf('/from-a-script', 3, WITHIN_MS))[0]).toMatchObject({
      action: 'challenge',
      decision: 'challenge',
      status_code: 403,
      block_reasons: ['http_client_user_agent'],
      block_reason_categories: ['bot_identity'],
    });
    expect(await eventsOf('/from-google', 1, WITHIN_MS)).toMatchObject([
      { action: 'allow', decision: 'allow', crawler_name: 'Googlebot', block_reasons: [] },
    ]);
    expect(await eventsOf('/from-an-impersonator', 1, WITHIN_MS)).toMatchObject([
      {
        action: 'block',
        decision: 'block',
        crawler_name: 'Googlebot',
        block_reasons: ['crawler_impersonator'],
        block_reason_categories: ['crawler_impersonator'],
      },
    ]);
  });
});

test('(f) when the analytics process is killed (SIGKILL), visitors are still served, the process starts again, and no event is lost', async () => {
  const headers = { ...googlebot, 'x-forwarded-for': GOOGLEBOT_IP };
  let sentCount = 0;
  const visit = async () => {
    expect((await send(urlOf(`/steady?n=${sentCount}`), { headers })).status).toBe(200);
    sentCount += 1;
  };
  const count = () =>
    rowsOf<{ seen: string; distinct: string }>(
      testbed.product,
      "SELECT count() AS seen, uniqExact(query) AS distinct FROM events_distributed WHERE path = '/steady'",
    ).then(
      ([row]) => ({ seen: Number(row?.seen), distinct: Number(row?.distinct) }),
      // The query is refused while the engine is away.
      () => ({ seen: -1, distinct: -1 }),
    );

  for (let i = 0; i < 100; i++) await visit();
  await poll(count, ({ seen }) => seen > 0);

  const [engine] = childrenOf(testbed.product.pid);
  expect(engine).toBeDefined();
  for (let i = 0; i < 50; i++) await visit();
  process.kill(engine ?? 0, 'SIGKILL');
  for (let i = 0; i < 200; i++) await visit();

  const counts = await poll(count, ({ distinct }) => distinct === sentCount);
  expect(counts).toEqual({ seen: sentCount, distinct: sentCount });
  const [restarted] = childrenOf(testbed.product.pid);
  expect(restarted).toBeDefined();
  expect(restarted).not.toBe(engine);
  const metrics = await send(`${testbed.product.addresses.admin}/metrics`);
  expect(metrics.body).toContain('guard_analytics_restarts_total 1');
});

describe('bad input and wrong keys (contract 7.1)', () => {
  const validate = (body: string, key = SECRET_KEY) =>
    send(`${testbed.product.addresses.validator}/validate`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
    });

  test.each([
    ['not JSON', 400, 'invalid_request'],
    ['{"ip":"192.0.2.1"}', 400, 'missing_fields'],
    ['{"url":"https://a.example/"}', 400, 'missing_fields'],
    ['{"url":"https://a.example/","ip":"192.0.2.1, 192.0.2.2"}', 400, 'invalid_ip'],
  ])('POST /validate answers the body %s with %i', async (body, status, type) => {
    const answer = await validate(body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { type } });
  });

  test('a wrong key is 401 invalid_api_key', async () => {
    const answer = await validate('{}', 'sk_wrong_but_long_enough');
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: 'invalid_api_key' } });
  });

  test('both MCP servers answer initialize', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    const headers = { 'content-type': 'application/json' };
    const bearer = { ...headers, authorization: `Bearer ${ANALYTICS_KEY}` };
    const data = await send(`${testbed.product.addresses.api}/mcp`, {
      method: 'POST',
      headers: bearer,
      body,
    });
    expect(JSON.parse(data.body)).toMatchObject({
      result: {
        protocolVersion: '2025-06-18',
        serverInfo: { name: 'guard-analytics', version: '1' },
      },
    });
    const docs = await send(`${testbed.product.addresses.docs}/mcp`, {
      method: 'POST',
      headers,
      body,
    });
    expect(JSON.parse(docs.body)).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  });

  test('GET /ready on the admin listener answers 200', async () => {
    expect((await send(`${testbed.product.addresses.admin}/ready`)).status).toBe(200);
    const metrics = await send(`${testbed.product.addresses.admin}/metrics`);
    expect(metrics.body).toContain('guard_decisions_total{action="challenge"}');
  });

  test('the log has no key', () => {
    for (const secret of [
      SECRET_KEY,
      ANALYTICS_KEY,
      HEALTH_TOKEN,
      INSTALLATION_SECRET,
      'sk_wrong',
    ]) {
      expect(testbed.product.log()).not.toContain(secret);
    }
  });
});
