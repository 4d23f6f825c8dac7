import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EchoingOrigin, startEchoingOrigin } from '../kit/origins/echoing-origin.ts';
import { connectAsEnvoy, type EnvoyClient } from '../kit/peers/envoy-client.ts';
import { poll, send } from '../kit/http.ts';
import { openTunnel } from '../kit/peers/open-tunnel.ts';
import { type PeerProxy, type RunningProxy, startPeer } from '../kit/peers/peer-proxy.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasCaddy, hasHaproxy, hasNginx, hasWindowedChromium } from '../kit/tools.ts';
import { chromeHttp, HOME_IP } from '../kit/visitors/visitors.ts';
import { rawExchange, statusOf } from '../../gateway/src/testing/raw-client.ts';
import { openInWindow } from '../kit/browsers/windowed-chromium.ts';

/**
 * These tests use forward-auth mode behind real proxies, which start with the files of examples/forward-auth/. The
 * proxies accept the connections, and Guard decides.
 */

const RULES = [
  { name: 'office', match: { ip: [HOME_IP] }, verdict: 'allow' },
  { name: 'closed', match: { path: '/closed/**' }, verdict: 'block', status: 451 },
  { name: 'vault', match: { path: '/vault/**' }, detect: true, challenge: 'always' },
  { name: 'sockets', match: { path: '/judged/**' }, detect: true },
];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let origin: EchoingOrigin;
let product: Product;
let envoy: EnvoyClient;
beforeAll(async () => {
  origin = await startEchoingOrigin();
  const settings = productSettings(origin.url, { rules: RULES });
  const openSite = {
    hosts: ['open.example'],
    organisation: 'acme',
    origin: origin.url,
    protect: [],
  };
  product = await startProduct({
    ...settings,
    sites: [...(settings['sites'] as unknown[]), openSite],
    listen: { forward_auth: '127.0.0.1:0', ext_authz: '127.0.0.1:0', admin: '127.0.0.1:0' },
    analytics: undefined,
  });
  envoy = connectAsEnvoy(product.addresses.ext_authz);
});
afterAll(async () => {
  envoy.close();
  expect(await product.stop()).toBe(0);
  await origin.close();
});
beforeEach(() => {
  origin.exchanges.length = 0;
});

const PROXIES: readonly [PeerProxy, boolean][] = [
  ['nginx', hasNginx],
  ['haproxy', hasHaproxy],
  ['caddy', hasCaddy],
];

for (const [name, isThere] of PROXIES) {
  describe.skipIf(!isThere)(`behind ${name}`, () => {
    let proxy: RunningProxy;
    beforeAll(async () => {
      proxy = await startPeer(name, { guard: product.addresses.forward_auth, site: origin.url });
    });
    afterAll(() => proxy.close());

    /** Sends one request of a browser, with the host of the proxy. */
    const visit = (path: string, options: Parameters<typeof send>[1] = {}) =>
      send(proxy.url + path, {
        ...options,
        headers: { ...chromeHttp, host: new URL(proxy.url).host, ...options.headers },
      });

    test('an allowed request reaches the origin unchanged, with the header fields of Guard', async () => {
      const answer = await visit('/open/a%20b?x=%2F..&y');
      expect(answer.status).toBe(200);
      expect(origin.exchanges).toMatchObject([{ method: 'GET', url: '/open/a%20b?x=%2F..&y' }]);
      const { headers } = origin.exchanges[0] ?? {};
      expect(headers?.['x-guard-decision']).toBe('allow');
      expect(headers?.['x-guard-request-id']).toMatch(UUID);
      expect(headers?.['x-guard-session']).toMatch(/^[0-9a-f]{32}$/);
    });

    test('an allowed visitor gets the cookie and header fields of Guard (contract 4.1 rule 2)', async () => {
      const { headers } = await visit('/open/cookie');
      expect(String(headers['set-cookie'])).toMatch(/^_guard=[0-9a-f-]{36}; Path=\/; Max-Age=\d+/);
      expect(headers['cache-control']).toContain('private');
    });

    test('a POST that is allowed keeps its body', async () => {
      const body = 'quantity=3&'.repeat(1000);
      const answer = await visit('/open/order', { method: 'POST', body });
      expect([answer.status, answer.body]).toEqual([200, body]);
      expect(origin.exchanges).toMatchObject([{ method: 'POST', url: '/open/order', body }]);
    });

    test.each(['GET', 'POST'])(
      'a challenged %s gets the page, its cookie and its policy (contract 3)',
      async (method) => {
        const body = method === 'POST' ? { body: 'a=1&b=2' } : {};
        const answer = await visit('/vault/page', { method, ...body });
        expect(answer.status).toBe(403);
        expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(answer.headers['content-security-policy']).toContain("'nonce-");
        expect(answer.headers['cache-control']).toContain('no-store');
        expect(String(answer.headers['set-cookie'])).toMatch(
          /^_guard=[0-9a-f-]{36}; Path=\/; Max-Age=\d+/,
        );
        expect(answer.body).toContain('<noscript>');
        expect(origin.exchanges).toEqual([]);
      },
    );

    test.each(['GET', 'POST', 'HEAD'])(
      'a blocked %s gets the status of its rule',
      async (method) => {
        const body = method === 'POST' ? { body: 'x'.repeat(5000) } : {};
        const answer = await visit('/closed/page?q=1', { method, ...body });
        expect(answer.status).toBe(451);
        expect(answer.body === '').toBe(method === 'HEAD');
        expect(origin.exchanges).toEqual([]);
      },
    );

    test('header fields of a visitor cannot change the URL, method or address that Guard sees (GHSA-6wcg-mqvh-fcvg)', async () => {
      const openUrl = new URL('/open', proxy.url);
      const headers = {
        'X-Original-URL': openUrl.href,
        'X-Original-URI': '/open',
        'X-Original-Method': 'OPTIONS',
        'X-Forwarded-Uri': '/open',
        'X-Forwarded-Method': 'OPTIONS',
        'X-Rewrite-URL': '/open',
        'X-Guard-Answer': '00000000-0000-4000-8000-000000000000',
      };
      expect((await visit('/closed/page', { headers })).status).toBe(451);
      const visitorHeaders = {
        'X-Forwarded-For': HOME_IP,
        'X-Real-IP': HOME_IP,
        Forwarded: `for=${HOME_IP}`,
      };
      expect((await visit('/closed/page', { headers: visitorHeaders })).status).toBe(451);
      expect(origin.exchanges).toEqual([]);
    });

    test('a request with 100 header fields is denied, and no proxy crashes', async () => {
      // HAProxy 2.6 crashed with a segmentation fault, and all visitors lost the site.
      const fieldNames = Array.from({ length: 93 }, (_, index) => `X-Field-${index}`);
      const headers = Object.fromEntries(fieldNames.map((field) => [field, 'a']));
      const { status } = await visit('/closed/page', { headers });
      expect(status).toBe(name === 'haproxy' ? 400 : 451);
      expect((await visit('/open')).status).toBe(200);
    });

    test('a target with another host than the Host field does not change the site that decides', async () => {
      const fields = Object.entries({ ...chromeHttp, host: 'open.example', connection: 'close' });
      const lines = fields.map(([field, value]) => `${field}: ${value}`);
      const target = `${proxy.url}/closed/page`;
      const answer = await rawExchange(proxy.port, `GET ${target} HTTP/1.1`, ...lines, '', '');
      expect(statusOf(answer)).toBe(name === 'caddy' ? 451 : 400);
      const { host } = new URL(proxy.url);
      for (const wrongHost of [
        `${host},open.example`,
        `open.example?${host}`,
        `open.example/${host}`,
        // With the forged host, the path that a rule closes would become the query of the URL.
        `${host}?`,
      ])
        await visit('/closed/page', { headers: { host: wrongHost } });
      expect(origin.exchanges).toEqual([]);
    });

    test('a visitor cannot send or remove the header fields of Guard', async () => {
      const headers = {
        'X-Guard-Decision': 'from the visitor',
        'X-Guard-Request-Id': 'from the visitor',
        'X-Guard-Session': 'from the visitor',
        'X-Guard-Crawler': 'from the visitor',
        X_Guard_Decision: 'from the visitor',
        Connection: 'close, X-Guard-Decision',
      };
      expect((await visit('/open/forged', { headers })).status).toBe(200);
      // A request for a skipped path has no request id, and also not the id that the visitor sent.
      expect((await visit('/assets/forged', { headers })).status).toBe(200);
      expect(origin.exchanges.map(({ headers: fields }) => fields['x-guard-decision'])).toEqual([
        'allow',
        'not_matched',
      ]);
      expect(JSON.stringify(origin.exchanges)).not.toContain('from the visitor');
    });

    test('Guard decides about a WebSocket as about any request, also when nginx removes the Upgrade field', async () => {
      // Chromium sends no Accept field for a WebSocket.
      const sentFields = Object.entries(chromeHttp).filter(([field]) => field !== 'accept');
      const headers = { ...Object.fromEntries(sentFields), host: `127.0.0.1:${proxy.port}` };
      expect(await openTunnel(proxy.port, '/judged/socket', headers)).toEqual({
        status: 101,
        echo: 'over and back',
      });
      expect((await openTunnel(proxy.port, '/closed/socket', headers)).status).toBe(451);
      expect(origin.exchanges).toHaveLength(1);
    });

    test('a request cannot open a tunnel for another protocol, because Guard would not see the requests in it', async () => {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABk',
      };
      expect((await visit('/open/h2c', { headers })).status).toBe(200);
      expect(origin.exchanges[0]?.headers).not.toHaveProperty('upgrade');
    });

    test.each(['/.guard/nothing', '/.guard/../.guard/nothing', '/%2eguard/nothing', '//.guard/x'])(
      '%s never reaches the origin',
      async (path) => {
        expect((await visit(path)).status).toBe(404);
        expect(origin.exchanges).toEqual([]);
      },
    );

    test.each(['/check/nginx', '/answer', '/check/envoy/open'])(
      '%s is a path of the site, and does not reach Guard',
      async (path) => {
        const headers = {
          'X-Original-URL': 'http://shop.example/closed/',
          'X-Original-Method': 'GET',
        };
        const parentSegments = '/..'.repeat(path.split('/').length - 1);
        expect((await visit(path, { headers })).status).toBe(200);
        expect((await visit(`${path}${parentSegments}/.guard/x`, { headers })).status).toBe(404);
        expect(origin.exchanges.map(({ url }) => url)).toEqual([path]);
      },
    );
  });
}

describe('Envoy over gRPC', () => {
  /** Asks about a request of a browser, as Envoy does. */
  const check = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    envoy.check({
      method: 'GET',
      host: 'shop.example',
      path,
      headers: {
        ...chromeHttp,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        ...headers,
      },
    });

  test('gets the status of the rule that blocks; header fields of the visitor do not change it', async () => {
    const codeOf = async (headers = {}) =>
      (await check('/closed/page?q=1', headers)).denied_response?.status.code;
    expect(await codeOf()).toBe(451);
    expect(await codeOf({ 'x-original-url': 'http://shop.example/open' })).toBe(451);
    expect(await codeOf({ 'x-forwarded-for': `${HOME_IP}, 203.0.113.9` })).toBe(451);
    // Guard believes the header field that Envoy itself writes.
    const { status } = await check('/closed/page', { 'x-forwarded-for': HOME_IP });
    expect(status.code).toBe(0);
  });
});

describe.skipIf(!hasNginx || !hasWindowedChromium)("a person's browser behind nginx", () => {
  test('passes the challenge with one upload below /.guard/ and one reload', async () => {
    const proxy = await startPeer('nginx', {
      guard: product.addresses.forward_auth,
      site: origin.url,
    });
    const browser = await openInWindow(`${proxy.url}/vault/person?q=a%2Fb`);
    try {
      const [arrival] = await poll(
        () => Promise.resolve(origin.exchanges.filter(({ url }) => url.startsWith('/vault'))),
        (found) => found.length > 0,
      );
      expect(arrival).toMatchObject({ method: 'GET', url: '/vault/person?q=a%2Fb' });
      expect(arrival?.headers.cookie).toMatch(/_guard=[0-9a-f-]{36}/);
      expect(arrival?.headers['x-guard-decision']).toBe('allow');
      const { body } = await send(`${product.addresses.admin}/metrics`);
      expect(body).toMatch(/guard_challenges_total\{result="verified"\} [1-9]/);

      // The session also passes where Envoy asks over gRPC.
      const headers = Object.fromEntries(
        Object.entries(arrival?.headers ?? {}).filter(([field]) => !field.startsWith('x-guard-')),
      );
      const { host } = new URL(proxy.url);
      const request = { method: 'GET', host, path: '/vault/person', headers };
      expect((await envoy.check(request)).status.code).toBe(0);
      const newcomer = { ...request, headers: { ...headers, cookie: '' } };
      expect((await envoy.check(newcomer)).status.code).toBe(7);
    } finally {
      await browser.close();
      await proxy.close();
    }
  });
});
