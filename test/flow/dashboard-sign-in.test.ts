import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { askDashboard, cookieOf, DASHBOARD_LISTEN, signIn } from '../kit/dashboard.ts';
import { poll } from '../kit/http.ts';
import { ANALYTICS_KEY, storySettings } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';

/** Who may look at the dashboard: holders of a key, of a link that Guard prints, users of a proxy. */

const RIVAL_KEY = 'sk_api_ro_rival_5f4e3d2c1b0a9d8c7b6a';
const [acme] = storySettings('http://127.0.0.1:1')['organisations'] as object[];
const story = useProduct({
  top: {
    listen: DASHBOARD_LISTEN,
    organisations: [acme, { id: 'rival', analytics_keys: [{ id: 'board', key: RIVAL_KEY }] }],
    dashboard: {
      hosts: ['guard.example'],
      proxy_header: { name: 'X-Groups', groups: { shop: 'acme', others: 'rival' } },
    },
  },
});

const DATA = ['/api/health', '/api/live'];
const statuses = (cookie: string, headers = {}) =>
  Promise.all([
    askDashboard(story.product, '/api/health', { cookie, headers }),
    askDashboard(story.product, '/api/query', { cookie, sql: 'SELECT 1', headers }),
  ]).then((answers) => answers.map(({ status }) => status));

test('a stranger gets the page, and 401 at each route with data', async () => {
  const page = await askDashboard(story.product, '/');
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const me = await askDashboard(story.product, '/api/me');
  expect(JSON.parse(me.body)).toEqual({ me: null, oidc: false });
  for (const path of DATA) expect((await askDashboard(story.product, path)).status).toBe(401);
  for (const path of ['/api/query', '/api/replay']) {
    expect((await askDashboard(story.product, path, { sql: 'SELECT 1' })).status).toBe(401);
  }
  expect(await statuses('__Host-guard-dashboard=made-up')).toEqual([401, 401]);
});

test('an analytics key signs in for 12 hours, with a cookie that no script and no other site gets', async () => {
  const answer = await askDashboard(story.product, '/api/sign-in', {
    json: { key: ANALYTICS_KEY },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-guard-dashboard=[\w-]{43}; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  const cookie = cookieOf(answer);
  expect(await statuses(cookie)).toEqual([200, 200]);
  const me = await askDashboard(story.product, '/api/me', { cookie });
  expect(JSON.parse(me.body)).toMatchObject({
    me: { organisation: 'acme', key: 'tests', via: 'key' },
  });
});

test('sign-out ends the session, also for who kept the cookie', async () => {
  const cookie = await signIn(story.product);
  const { status } = await askDashboard(story.product, '/api/sign-out', { cookie, json: {} });
  expect(status).toBe(204);
  expect(await statuses(cookie)).toEqual([401, 401]);
});

test('the link that Guard prints signs in once', async () => {
  const [first = '', second = ''] = story.product.dashboardLinks.map((link) => {
    const { pathname, search } = new URL(link);
    return pathname + search;
  });
  const head = await fetch(new URL(first, story.product.addresses.dashboard), { method: 'HEAD' });
  expect(head.status).toBe(404);
  const answer = await askDashboard(story.product, first);
  expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
  const cookie = cookieOf(answer);
  expect(await statuses(cookie)).toEqual([200, 200]);
  const again = await askDashboard(story.product, first);
  expect(again.headers['location']).toBe('/?signin=used');
  expect(again.headers['set-cookie']).toBeUndefined();
  const rival = await askDashboard(story.product, '/api/me', {
    cookie: cookieOf(await askDashboard(story.product, second)),
  });
  expect(JSON.parse(rival.body)).toMatchObject({
    me: { organisation: 'rival', via: 'link', key: null },
  });
});

test('a proxy of trusted_proxies names the groups of its user; groups without an organisation get nothing', async () => {
  const me = async (groups: string) => {
    const headers = { 'x-groups': groups };
    const { body } = await askDashboard(story.product, '/api/me', { headers });
    return (JSON.parse(body) as { me: { organisation: string } | null }).me?.organisation;
  };
  expect(await me('staff, others')).toBe('rival');
  expect(await me('staff,others,shop')).toBe('acme');
  expect(await me('staff')).toBeUndefined();
  expect(await me('shopping')).toBeUndefined();
});

test('what another site causes is refused, and so is a foreign host name (DNS rebinding)', async () => {
  const cookie = await signIn(story.product);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    expect(await statuses(cookie, headers)).toEqual([403, 403]);
  }
  const spelled = await askDashboard(story.product, '/%61pi/query', {
    cookie,
    sql: 'SELECT 1',
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(spelled.status).toBe(403);
  expect(await statuses(cookie, { host: 'evil.example' })).toEqual([421, 421]);
  expect(await statuses(cookie, { host: 'guard.example' })).toEqual([200, 200]);
});

test('a large body of a stranger is refused before it is read as JSON', async () => {
  const large = { change: 'x'.repeat(100_000) };
  const replay = await askDashboard(story.product, '/api/replay', { json: large });
  expect(replay.status).toBe(401);
  for (const path of ['/api/sign-out', '/api/sign-in']) {
    expect((await askDashboard(story.product, path, { json: large })).status).toBe(413);
  }
  // One byte of the body has come: the answer waits for no more.
  for (const [path, host, status] of [
    ['/no-route', 'localhost', '404'],
    ['/api/querything', 'localhost', '404'],
    ['/no-route', 'evil.example', '421'],
  ] as const) {
    const socket = connect(Number(new URL(story.product.addresses.dashboard).port), '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`,
    );
    const [head] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    expect([path, head.slice(9, 12)]).toEqual([path, status]);
    expect(head).toContain('content-security-policy');
    socket.destroy();
  }
  const cookie = await signIn(story.product);
  const known = await askDashboard(story.product, '/api/replay', { cookie, json: large });
  expect(known.status).toBe(413);
});

test('a key that is revoked ends its sessions at the next request', async () => {
  const cookie = await signIn(story.product, RIVAL_KEY);
  expect(await statuses(cookie)).toEqual([200, 200]);
  const file = join(story.product.folder, 'guard.yaml');
  const settings = parse(await readFile(file, 'utf8')) as {
    organisations: { analytics_keys: object[] }[];
  };
  const [, rival] = settings.organisations;
  if (rival) rival.analytics_keys = [];
  await writeFile(file, stringify(settings));
  process.kill(story.product.pid, 'SIGHUP');
  await poll(
    () => statuses(cookie),
    (all) => all.every((status) => status === 401),
  );
});

test('more than ten attempts of one address in a minute: 429 with Retry-After, and the log has no key', async () => {
  const key = 'sk_api_ro_guessed_0000000000000000';
  let last = await askDashboard(story.product, '/api/sign-in', { json: { key } });
  for (let round = 0; round < 12 && last.status === 401; round++) {
    last = await askDashboard(story.product, '/api/sign-in', { json: { key } });
  }
  expect(last.status).toBe(429);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  expect(story.product.log()).not.toContain(key);
  expect(story.product.log()).not.toContain(ANALYTICS_KEY);
});
