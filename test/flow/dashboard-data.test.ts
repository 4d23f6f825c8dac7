import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { askDashboard, DASHBOARD_LISTEN, signIn } from '../kit/product/dashboard.ts';
import { poll, send } from '../kit/http.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { curl } from '../kit/visitors/visitors.ts';

/**
 * These tests read the data for a viewer of the dashboard: the events of one organisation, by SQL and in the live view.
 */

const RIVAL_KEY = 'sk_api_ro_rival_5f4e3d2c1b0a9d8c7b6a';
const [acme] = productSettings('http://127.0.0.1:1')['organisations'] as object[];
const folder = await mkdtemp(join(tmpdir(), 'guard-dashboard-'));
const [cert, key] = [join(folder, 'shop.pem'), join(folder, 'shop-key.pem')];
const certificate = selfSigned('shop-of-acme.example');
await writeFile(cert, certificate.cert);
await writeFile(key, certificate.key);
afterAll(() => rm(folder, { recursive: true }));

const testbed = useProduct({
  top: {
    listen: { ...DASHBOARD_LISTEN, gateway_tls: '127.0.0.1:0' },
    tls: { certificates: [{ cert, key }] },
    organisations: [acme, { id: 'rival', analytics_keys: [{ id: 'board', key: RIVAL_KEY }] }],
  },
});

const COUNT = 'SELECT count() FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR';

async function visit(path: string): Promise<void> {
  await send(`${testbed.product.addresses.gateway}${path}`, { headers: curl });
}

async function count(cookie: string, condition = ''): Promise<string> {
  const { body } = await askDashboard(testbed.product, '/api/query', {
    cookie,
    sql: COUNT + condition,
  });
  return body.trim();
}

/** Reads `GET /api/live` until `enough` is true for the text, and then closes the connection. */
async function readLive(
  cookie: string,
  where: string,
  isEnough: (text: string) => boolean,
): Promise<string> {
  const abort = new AbortController();
  const url = `${testbed.product.addresses.dashboard}/api/live?where=${encodeURIComponent(where)}`;
  const answer = await fetch(url, { headers: { cookie }, signal: abort.signal });
  if (answer.body === null) throw new Error('no body');
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (isEnough(text)) break;
  }
  abort.abort();
  return text;
}

test('an organisation sees only its own events, at each route', async () => {
  const [own, rival] = [await signIn(testbed.product), await signIn(testbed.product, RIVAL_KEY)];
  await visit('/a-secret-path-of-acme');
  await poll(
    () => count(own, " AND path = '/a-secret-path-of-acme'"),
    (rows) => rows === '1',
  );
  expect(await count(rival)).toBe('0');
  const allRowsSql = "SELECT * FROM events_distributed WHERE organisation = 'acme' FORMAT JSON";
  const otherAnswer = await askDashboard(testbed.product, '/api/query', {
    cookie: rival,
    sql: allRowsSql,
  });
  expect(otherAnswer.body).not.toContain('secret-path');
  const viewer = await askDashboard(testbed.product, '/api/me', { cookie: rival });
  expect(JSON.parse(viewer.body)).toMatchObject({
    me: { organisation: 'rival', sites: [], rules: [] },
  });
  const live = readLive(rival, '1) OR (1', (text) => text.split('\n\n').length > 4);
  await visit('/another-path-of-acme');
  expect(await live).not.toContain('path-of-acme');
});

test('the page gets rules with their lines, and reasons with their meaning and with other causes', async () => {
  const cookie = await signIn(testbed.product);
  const { body } = await askDashboard(testbed.product, '/api/me', { cookie });
  expect(JSON.parse(body)).toMatchObject({
    me: {
      sites: ['127.0.0.1'],
      rules: [
        {
          name: 'everybody',
          line: expect.any(Number) as number,
          does: 'detect, challenge: always',
        },
      ],
      reasons: {
        webdriver: { strength: 'conclusive', others: expect.stringMatching(/Tests/) as string },
      },
      thresholds: { ask: 2, reject: 6 },
    },
  });
});

test('the live view shows each new event of its filter once', async () => {
  const cookie = await signIn(testbed.product);
  const live = readLive(cookie, "path LIKE '/live%'", (text) => text.includes('/live-3'));
  for (const path of ['/live-1', '/other', '/live-2', '/live-3']) await visit(path);
  const text = await live;
  const paths = [...text.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
  expect(paths.toSorted()).toEqual(['/live-1', '/live-2', '/live-3']);
});

test('the live view counts the events that it does not show', async () => {
  const cookie = await signIn(testbed.product);
  const visits = 100;
  let pendingAnswer: Promise<unknown> | undefined;
  const unseenCount = (text: string): number =>
    [...text.matchAll(/^data: (.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data) as { rows: unknown[]; more: number })
      .reduce((sum, { rows, more }) => sum + rows.length + more, 0);
  const text = await readLive(cookie, "path = '/counted'", (events) => {
    if (events.includes(': nothing')) {
      pendingAnswer ??= Promise.all(Array.from({ length: visits }, () => visit('/counted')));
    }
    return events.endsWith('\n\n') && unseenCount(events) >= visits;
  });
  await pendingAnswer;
  expect(unseenCount(text)).toBe(visits);
});

test('a filter that is not SQL leads to a message in the live view', async () => {
  const cookie = await signIn(testbed.product);
  const text = await readLive(cookie, 'path =', (events) => events.includes('event: failed'));
  expect(text).toMatch(/event: failed\ndata: \{"message":"/);
});

test('a filter cannot add many rows to the live view', async () => {
  const cookie = await signIn(testbed.product);
  const text = (word: string) => `repeat('${word}', 100)`;
  const one = [
    ...['now64(3)', 'generateUUIDv4(number)', "''", "''", "''", "''", '[]', "''", "''", text('p')],
    ...[
      '0',
      "''",
      "''",
      '0',
      "''",
      text('u'),
      "''",
      '0',
      "''",
      'false',
      "''",
      "''",
      "''",
      '1',
      '1',
    ],
  ];
  const ownRows =
    'created_at, request_id, site, action, decision, rule, block_reasons, method, host, path, status_code, ip, ' +
    'country, asn, asn_name, user_agent, browser, browser_version, crawler_name, crawler_verified, session, challenge, reference, 1, 1';
  const filter = `1) UNION ALL SELECT ${one.join(', ')} FROM numbers(3000) UNION ALL SELECT ${ownRows} FROM events_distributed WHERE (1`;
  const answer = await readLive(cookie, filter, (events) => /\n\nevent: .*\n.{40}/.test(events));
  expect(answer).toContain('event: failed\ndata: {"message":"The answer is too large."}');
});

test('the fifth live view of an organisation gets 429 until one is closed', async () => {
  const cookie = await signIn(testbed.product);
  const open = () =>
    fetch(`${testbed.product.addresses.dashboard}/api/live`, { headers: { cookie } });
  const views = await Promise.all([open(), open(), open(), open()]);
  expect((await open()).status).toBe(429);
  await views[0].body?.cancel();
  const next = await poll(open, ({ status }) => status === 200);
  for (const view of [...views.slice(1), next]) await view.body?.cancel();
});

test('with several organisations, the health view has no counters and no host names', async () => {
  const cookie = await signIn(testbed.product);
  const { body } = await askDashboard(testbed.product, '/api/health', { cookie });
  expect(JSON.parse(body)).toMatchObject({
    ready: true,
    database: { state: 'ready' },
    store: 'memory',
    metrics: {},
    certificates: [],
  });
});

test('Guard ends the live views when it stops', async () => {
  const cookie = await signIn(testbed.product);
  const url = `${testbed.product.addresses.dashboard}/api/live`;
  // Perhaps Guard has not noticed yet that earlier live views were closed.
  const view = await poll(
    () => fetch(url, { headers: { cookie } }),
    ({ status }) => status === 200,
  );
  const readText = view.text();
  expect(await testbed.product.stop()).toBe(0);
  expect(await readText).toContain(': live');
});
