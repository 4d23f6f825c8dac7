import { describe, expect, test } from 'vitest';
import {
  validateWith,
  GUARD_COOKIE,
  encodeHtml,
  startGateway,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import { bodyOf, get, headersOf, rawExchange, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const PAGE = '<!doctype html><p>Prüfung</p>';

describe('caller rules of contract 4.1', () => {
  test('rule 1: the validator is asked once about a protected request, with the URL, address and headers that the gateway received', async () => {
    const { port, questions } = await startGatewayWithOrigin();
    await get(port, '/a%2Fb?q=1', 'User-Agent: x', 'Accept: a', 'Accept: b', 'Referer: https://r/');
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      url: 'http://shop.example/a%2Fb?q=1',
      ip: '127.0.0.1',
      method: 'GET',
      referrer: 'https://r/',
      headers: { host: 'shop.example', 'user-agent': 'x', accept: 'a, b' },
    });
  });

  test('rule 2: every header and every cookie attribute of a served answer reaches the visitor; an empty domain means host-only', async () => {
    const { port } = await startGatewayWithOrigin({
      validate: validateWith({
        decision: 'redirect',
        response_html: encodeHtml(PAGE),
        headers: { 'Content-Security-Policy': "script-src 'nonce-1'", 'X-Reason': 'none' },
        cookies: [
          { ...GUARD_COOKIE, secure: true },
          { ...GUARD_COOKIE, name: 'b', domain: 'shop.example', path: '/p', max_age: 0 },
        ],
      }),
    });
    const answer = await get(port);
    expect(headersOf(answer, 'content-security-policy')).toEqual(["script-src 'nonce-1'"]);
    expect(headersOf(answer, 'x-reason')).toEqual(['none']);
    expect(headersOf(answer, 'set-cookie')).toEqual([
      '_guard=v; Path=/; Max-Age=60; Secure; SameSite=Lax',
      'b=v; Domain=shop.example; Path=/p; Max-Age=0; SameSite=Lax',
    ]);
  });

  test.each([
    { decision: 'block', status_code: undefined, sentStatus: 403 },
    { decision: 'redirect', status_code: undefined, sentStatus: 403 },
    { decision: 'block', status_code: 451, sentStatus: 451 },
    { decision: 'redirect', status_code: 503, sentStatus: 503 },
    { decision: 'block', status_code: 200, sentStatus: 200 },
    { decision: 'block', status_code: 99, sentStatus: 403 },
    { decision: 'block', status_code: 101, sentStatus: 403 },
    { decision: 'block', status_code: 600, sentStatus: 403 },
    { decision: 'allow', status_code: undefined, sentStatus: 200 },
    { decision: 'allow', status_code: 404, sentStatus: 404 },
  ] as const)(
    'rule 3: $decision with status_code $status_code is sent as $sentStatus',
    async ({ decision, status_code, sentStatus }) => {
      const status = status_code === undefined ? {} : { status_code };
      const { port } = await startGatewayWithOrigin({
        validate: validateWith({ decision, response_html: encodeHtml(PAGE), ...status }),
      });
      expect(statusOf(await get(port))).toBe(sentStatus);
    },
  );

  test.each(['block', 'redirect'] as const)(
    'rule 4: the body of %s is the decoded response_html, and the origin gets no request',
    async (decision) => {
      const { port, origin } = await startGatewayWithOrigin({
        validate: validateWith({ decision, response_html: encodeHtml(PAGE) }),
      });
      const answer = await get(port);
      expect(Buffer.from(bodyOf(answer), 'latin1').toString()).toBe(PAGE);
      expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
      expect(headersOf(answer, 'content-length')).toEqual([String(Buffer.byteLength(PAGE))]);
      expect(origin.requests).toEqual([]);
    },
  );

  test('rule 4: allow with response_html is served with its own content type instead of being passed on', async () => {
    const { port, origin } = await startGatewayWithOrigin({
      validate: validateWith({
        response_html: encodeHtml('User-agent: *\n'),
        headers: { 'Content-Type': 'text/plain' },
      }),
    });
    const answer = await get(port, '/robots.txt');
    expect(statusOf(answer)).toBe(200);
    expect(headersOf(answer, 'content-type')).toEqual(['text/plain']);
    expect(bodyOf(answer)).toBe('User-agent: *\n');
    expect(origin.requests).toEqual([]);
  });

  test.each(['allow', 'not_matched'] as const)(
    'rule 4: %s without a body goes to the application',
    async (decision) => {
      const { port, origin } = await startGatewayWithOrigin({
        validate: validateWith({ decision }),
      });
      expect(bodyOf(await get(port))).toContain('hello');
      expect(origin.requests).toHaveLength(1);
    },
  );

  test('contract 3: redirect without response_html is denied with the status and a short text of the gateway', async () => {
    const { port, origin } = await startGatewayWithOrigin({
      validate: validateWith({
        decision: 'redirect',
        headers: { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' },
      }),
    });
    const answer = await get(port);
    expect(statusOf(answer)).toBe(403);
    expect(headersOf(answer, 'content-type')).toEqual(['text/plain; charset=utf-8']);
    expect(headersOf(answer, 'content-encoding')).toEqual([]);
    expect(bodyOf(answer)).toBe('Request denied.\n');
    expect(origin.requests).toEqual([]);
  });

  test('rule 5: retry_after of a rate-limited answer is exposed as Retry-After', async () => {
    const limited = { decision: 'block', retry_after: 17, status_code: 429 } as const;
    const { port } = await startGatewayWithOrigin({
      validate: validateWith({ ...limited, rate_limited: true }),
    });
    const answer = await get(port);
    expect(statusOf(answer)).toBe(429);
    expect(headersOf(answer, 'retry-after')).toEqual(['17']);
  });
});

describe('what a validator cannot do to the message', () => {
  test('framing and hop-by-hop headers of the validator’s answer are ignored, and CR LF in a value or cookie does not split the message', async () => {
    const cookie = { ...GUARD_COOKIE, same_site: '' };
    const { port } = await startGatewayWithOrigin({
      validate: validateWith({
        decision: 'block',
        response_html: encodeHtml('four'),
        headers: {
          'Content-Length': '999',
          'Transfer-Encoding': 'chunked',
          Connection: 'x-kept',
          'X-Kept': 'yes',
          'X-Split': 'a\r\nX-Injected: 1',
          'bad name': 'x',
        },
        cookies: [
          { ...cookie, name: 'a', value: 'x\r\nX-Injected: 2' },
          { ...cookie, name: 'b', value: 'x; Domain=evil.example' },
          { ...cookie, name: 'c', value: 'kept' },
        ],
      }),
    });
    const answer = await get(port);
    expect(headersOf(answer, 'content-length')).toEqual(['4']);
    expect(headersOf(answer, 'transfer-encoding')).toEqual([]);
    expect(headersOf(answer, 'x-kept')).toEqual(['yes']);
    expect(headersOf(answer, 'x-injected')).toEqual([]);
    expect(headersOf(answer, 'set-cookie')).toEqual(['c=kept; Path=/; Max-Age=60']);
    expect(bodyOf(answer)).toBe('four');
  });

  test.each([
    { validator: 'public, max-age=60', sentCacheControl: 'no-store' },
    { validator: 'no-store, must-revalidate', sentCacheControl: 'no-store, must-revalidate' },
  ])(
    'a denied answer with Cache-Control $validator goes out as $sentCacheControl',
    async ({ validator, sentCacheControl }) => {
      const { port } = await startGatewayWithOrigin({
        validate: validateWith({ decision: 'block', headers: { 'cache-control': validator } }),
      });
      expect(headersOf(await get(port), 'cache-control')).toEqual([sentCacheControl]);
    },
  );
});

test('RFC 9110 9.3.2: a HEAD request gets the header section without the body', async () => {
  const { port } = await startGatewayWithOrigin({
    validate: validateWith({ decision: 'block', response_html: encodeHtml('four') }),
  });
  const answer = await rawExchange(
    port,
    'HEAD / HTTP/1.1',
    'Host: shop.example',
    'Connection: close',
    '',
    '',
  );
  expect(statusOf(answer)).toBe(403);
  expect(headersOf(answer, 'content-length')).toEqual(['4']);
  expect(bodyOf(answer)).toBe('');
});

describe('headers and cookies of an allow', () => {
  const cookies = [GUARD_COOKIE];

  test('rule 2: they are added to the answer of the origin, which keeps its body', async () => {
    const origin = await startOrigin((_req, res) => {
      res.writeHead(
        200,
        [
          ['Set-Cookie', 'own=1'],
          ['X-Frame-Options', 'DENY'],
          ['Content-Type', 'application/json'],
          ['Vary', 'Accept'],
        ].flat(),
      );
      res.end('{}');
    });
    const { port } = await startGateway({
      origin: origin.address,
      validate: validateWith({
        headers: { 'X-Frame-Options': 'SAMEORIGIN', Vary: 'Cookie', 'Content-Type': 'text/html' },
        cookies,
      }),
    });
    const answer = await get(port);
    expect(headersOf(answer, 'set-cookie')).toEqual([
      'own=1',
      '_guard=v; Path=/; Max-Age=60; SameSite=Lax',
    ]);
    expect(headersOf(answer, 'x-frame-options')).toEqual(['SAMEORIGIN']);
    expect(headersOf(answer, 'vary')).toEqual(['Accept', 'Cookie']);
    expect(headersOf(answer, 'content-type')).toEqual(['application/json']);
  });

  test.each([
    { origin: undefined, sentCacheControl: 'private' },
    { origin: 'public, max-age=60', sentCacheControl: 'public, max-age=60, private' },
    { origin: 'no-store', sentCacheControl: 'no-store' },
    {
      origin: 'must-understand, no-store, max-age=60',
      sentCacheControl: 'must-understand, no-store, max-age=60, private',
    },
    {
      origin: 'max-age=60, private="X-Name"',
      sentCacheControl: 'max-age=60, private="X-Name", private',
    },
  ])(
    'RFC 9111 7.3: an answer that carries a session cookie is kept out of shared caches (origin says $origin)',
    async ({ origin: cacheControl, sentCacheControl }) => {
      const origin = await startOrigin((_req, res) => {
        if (cacheControl !== undefined) res.setHeader('Cache-Control', cacheControl);
        res.end('x');
      });
      const { port } = await startGateway({
        origin: origin.address,
        validate: validateWith({ cookies }),
      });
      expect(headersOf(await get(port), 'cache-control')).toEqual([sentCacheControl]);
    },
  );

  test.each([
    'CDN-Cache-Control',
    'Cloudflare-CDN-Cache-Control',
    'Akamai-Cache-Control',
    'ExampleCDN-Cache-Control',
    'Surrogate-Control',
    'Edge-Control',
    'X-Accel-Expires',
    'X-LiteSpeed-Cache-Control',
  ])('RFC 9213: %s lets no cache keep an answer with a session cookie', async (name) => {
    const origin = await startOrigin((_req, res) => {
      res.setHeader(name, 'max-age=3600');
      res.end('x');
    });
    const withCookie = await startGateway({
      origin: origin.address,
      validate: validateWith({ cookies }),
    });
    expect(headersOf(await get(withCookie.port), name.toLowerCase())).toEqual([]);
    const other = await startGateway({ origin: origin.address, validate: validateWith({}) });
    expect(headersOf(await get(other.port), name.toLowerCase())).toEqual(['max-age=3600']);
  });
});
