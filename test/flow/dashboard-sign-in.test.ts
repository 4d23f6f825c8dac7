import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { askDashboard, cookieOf, DASHBOARD_LISTEN, signIn } from '../kit/product/dashboard.ts';
import { freePort } from '../kit/free-port.ts';
import { type Answer, poll, send } from '../kit/http.ts';
import { startOidcProvider } from '../kit/peers/oidc-provider.ts';
import { ANALYTICS_KEY, productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';

/**
 * These tests check who may use the dashboard: holders of a key, holders of a link that Guard prints, users of a proxy,
 * and users of an OpenID provider.
 */

const RIVAL_KEY = 'sk_api_ro_rival_5f4e3d2c1b0a9d8c7b6a';
const [acme] = productSettings('http://127.0.0.1:1')['organisations'] as object[];
const port = await freePort();
const CLIENT = { clientId: 'guard', clientSecret: 'oidc-secret-6c5d4e3f2a1b0c9d8e7f' };
/** The groups of the provider's user. A test sets them. */
const userGroups: string[] = [];
const callback = `http://127.0.0.1:${port}/oidc/callback`;
const provider = await startOidcProvider({ ...CLIENT, callback, groups: userGroups });
afterAll(() => provider.close());
const testbed = useProduct({
  top: {
    listen: { ...DASHBOARD_LISTEN, dashboard: `127.0.0.1:${port}` },
    organisations: [acme, { id: 'rival', analytics_keys: [{ id: 'board', key: RIVAL_KEY }] }],
    dashboard: {
      hosts: ['guard.example'],
      proxy_header: { name: 'X-Groups', groups: { shop: 'acme', others: 'rival' } },
      oidc: {
        issuer: provider.issuer,
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        groups: { 'web-team': 'acme' },
      },
    },
  },
});

const DATA_PATHS = ['/api/health', '/api/live'];
const dataStatuses = (cookie: string, headers = {}) =>
  Promise.all([
    askDashboard(testbed.product, '/api/health', { cookie, headers }),
    askDashboard(testbed.product, '/api/query', { cookie, sql: 'SELECT 1', headers }),
  ]).then((answers) => answers.map(({ status }) => status));

test('without a sign-in a client gets the page, and 401 at each route with data', async () => {
  const page = await askDashboard(testbed.product, '/');
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const viewer = await askDashboard(testbed.product, '/api/me');
  expect(JSON.parse(viewer.body)).toEqual({ me: null, oidc: true });
  for (const path of DATA_PATHS)
    expect((await askDashboard(testbed.product, path)).status).toBe(401);
  for (const path of ['/api/query', '/api/replay']) {
    expect((await askDashboard(testbed.product, path, { sql: 'SELECT 1' })).status).toBe(401);
  }
  expect(await dataStatuses('__Host-guard-dashboard=made-up')).toEqual([401, 401]);
});

test('an analytics key signs in for 12 hours, with a cookie that no script can read and no other site can send', async () => {
  const answer = await askDashboard(testbed.product, '/api/sign-in', {
    json: { key: ANALYTICS_KEY },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-guard-dashboard=[\w-]{43}; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  const cookie = cookieOf(answer);
  expect(await dataStatuses(cookie)).toEqual([200, 200]);
  const viewer = await askDashboard(testbed.product, '/api/me', { cookie });
  expect(JSON.parse(viewer.body)).toMatchObject({
    me: { organisation: 'acme', key: 'tests', via: 'key' },
  });
});

test('a sign-out ends the sign-in, also for a client that kept the cookie', async () => {
  const cookie = await signIn(testbed.product);
  const { status } = await askDashboard(testbed.product, '/api/sign-out', { cookie, json: {} });
  expect(status).toBe(204);
  expect(await dataStatuses(cookie)).toEqual([401, 401]);
});

test('the link that Guard prints signs in once', async () => {
  const [first = '', second = ''] = testbed.product.dashboardLinks.map((link) => {
    const { pathname, search } = new URL(link);
    return pathname + search;
  });
  const head = await fetch(new URL(first, testbed.product.addresses.dashboard), { method: 'HEAD' });
  expect(head.status).toBe(404);
  const answer = await askDashboard(testbed.product, first);
  expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
  const cookie = cookieOf(answer);
  expect(await dataStatuses(cookie)).toEqual([200, 200]);
  const again = await askDashboard(testbed.product, first);
  expect(again.headers['location']).toBe('/?signin=used');
  expect(again.headers['set-cookie']).toBeUndefined();
  const rival = await askDashboard(testbed.product, '/api/me', {
    cookie: cookieOf(await askDashboard(testbed.product, second)),
  });
  expect(JSON.parse(rival.body)).toMatchObject({
    me: { organisation: 'rival', via: 'link', key: null },
  });
});

test('a proxy of trusted_proxies sends the groups of its user; groups without an organisation get nothing', async () => {
  const viewerOf = async (groups: string) => {
    const headers = { 'x-groups': groups };
    const { body } = await askDashboard(testbed.product, '/api/me', { headers });
    return (JSON.parse(body) as { me: { organisation: string } | null }).me?.organisation;
  };
  expect(await viewerOf('staff, others')).toBe('rival');
  expect(await viewerOf('staff,others,shop')).toBe('acme');
  expect(await viewerOf('staff')).toBeUndefined();
  expect(await viewerOf('shopping')).toBeUndefined();
});

/** Follows redirects and fills in the forms of the provider as a browser does, until it returns to the dashboard. */
async function signInAtProvider(start: Answer): Promise<string> {
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  let url = String(start.headers['location']);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    if (url.startsWith(testbed.product.addresses.dashboard)) return url;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer: Answer =
      form === undefined
        ? await send(url, { headers: { cookie: cookie() } })
        : await send(url, {
            method: 'POST',
            headers: { cookie: cookie(), ...type },
            body: form.toString(),
          });
    for (const cookieLine of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (cookieLine.split(';', 1)[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = answer.headers['location'];
    form = location === undefined ? formOf(answer) : undefined;
    url = new URL(location?.toString() ?? actionOf(answer), url).href;
  }
  throw new Error('the provider redirects again and again');
}

function formOf({ body }: Answer): URLSearchParams {
  const prompt = /name="prompt" value="(\w+)"/.exec(body)?.[1] ?? 'none';
  return new URLSearchParams({ prompt, login: 'ada', password: 'any' });
}

function actionOf({ status, body }: Answer): string {
  const action = /action="([^"]+)"/.exec(body)?.[1];
  if (action === undefined) throw new Error(`${status} ${body.slice(0, 300)}`);
  return action;
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

test('OpenID: a user of a mapped group sees its organisation; the URL to which the provider returns works only once, and only in the browser that began the sign-in', async () => {
  const { product } = testbed;
  userGroups.splice(0, 2, 'staff', 'web-team');
  const start = await askDashboard(product, '/oidc/start');
  expect(start.status).toBe(303);
  expect(String(start.headers['location'])).toContain('code_challenge_method=S256');
  const returnPath = pathOf(await signInAtProvider(start));
  const foreign = await askDashboard(product, returnPath);
  expect(foreign.headers['location']).toBe('/?signin=failed');
  const answer = await askDashboard(product, returnPath, { cookie: cookieOf(start) });
  expect(answer.headers['location']).toBe('/');
  const viewer = await askDashboard(product, '/api/me', { cookie: cookieOf(answer, 1) });
  expect(JSON.parse(viewer.body)).toMatchObject({
    me: { organisation: 'acme', via: 'oidc', key: null },
  });
  const again = await askDashboard(product, returnPath, { cookie: cookieOf(start) });
  expect(again.headers['location']).toBe('/?signin=failed');
  expect(product.log()).not.toContain(CLIENT.clientSecret);
});

test('OpenID: a user without a mapped group is refused, and the log says why', async () => {
  userGroups.splice(0, 2, 'staff');
  const start = await askDashboard(testbed.product, '/oidc/start');
  const returnPath = pathOf(await signInAtProvider(start));
  const answer = await askDashboard(testbed.product, returnPath, { cookie: cookieOf(start) });
  expect(answer.headers['location']).toBe('/?signin=failed');
  expect(testbed.product.log()).toContain('no group of this user');
});

test('requests of another site are refused, and requests with a foreign host name too (DNS rebinding)', async () => {
  const cookie = await signIn(testbed.product);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    expect(await dataStatuses(cookie, headers)).toEqual([403, 403]);
  }
  const encodedPathAnswer = await askDashboard(testbed.product, '/%61pi/query', {
    cookie,
    sql: 'SELECT 1',
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(encodedPathAnswer.status).toBe(403);
  expect(await dataStatuses(cookie, { host: 'evil.example' })).toEqual([421, 421]);
  expect(await dataStatuses(cookie, { host: 'guard.example' })).toEqual([200, 200]);
});

test('a large body without a sign-in is refused before Guard reads it as JSON', async () => {
  const large = { change: 'x'.repeat(100_000) };
  const replay = await askDashboard(testbed.product, '/api/replay', { json: large });
  expect(replay.status).toBe(401);
  for (const path of ['/api/sign-out', '/api/sign-in']) {
    expect((await askDashboard(testbed.product, path, { json: large })).status).toBe(413);
  }
  // Only one byte of the body is sent. Guard answers before the rest comes.
  for (const [path, host, status] of [
    ['/no-route', 'localhost', '404'],
    ['/api/querything', 'localhost', '404'],
    ['/no-route', 'evil.example', '421'],
  ] as const) {
    const socket = connect(Number(new URL(testbed.product.addresses.dashboard).port), '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[`,
    );
    const [head] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
    expect([path, head.slice(9, 12)]).toEqual([path, status]);
    expect(head).toContain('content-security-policy');
    socket.destroy();
  }
  const cookie = await signIn(testbed.product);
  const signedInAnswer = await askDashboard(testbed.product, '/api/replay', {
    cookie,
    json: large,
  });
  expect(signedInAnswer.status).toBe(413);
});

test('revoking a key ends its sign-ins at the next request', async () => {
  const cookie = await signIn(testbed.product, RIVAL_KEY);
  expect(await dataStatuses(cookie)).toEqual([200, 200]);
  const file = join(testbed.product.folder, 'guard.yaml');
  const settings = parse(await readFile(file, 'utf8')) as {
    organisations: { analytics_keys: object[] }[];
  };
  const [, rival] = settings.organisations;
  if (rival) rival.analytics_keys = [];
  await writeFile(file, stringify(settings));
  process.kill(testbed.product.pid, 'SIGHUP');
  await poll(
    () => dataStatuses(cookie),
    (all) => all.every((status) => status === 401),
  );
});

test('after ten attempts in a minute an address gets 429 with Retry-After, and the log has no key', async () => {
  const key = 'sk_api_ro_guessed_0000000000000000';
  let last = await askDashboard(testbed.product, '/api/sign-in', { json: { key } });
  for (let round = 0; round < 12 && last.status === 401; round++) {
    last = await askDashboard(testbed.product, '/api/sign-in', { json: { key } });
  }
  expect(last.status).toBe(429);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  expect(testbed.product.log()).not.toContain(key);
  expect(testbed.product.log()).not.toContain(ANALYTICS_KEY);
});
