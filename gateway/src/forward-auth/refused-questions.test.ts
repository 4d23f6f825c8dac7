import { describe, expect, test } from 'vitest';
import {
  ask,
  PROXY_REQUESTS,
  forwardedHeaders,
  VISITOR,
} from '../../../test/kit/peers/asking-proxies.ts';
import { send } from '../../../test/kit/http.ts';
import { startForwardAuth } from '../testing/forward-auth-rig.ts';
import { rawExchange, statusOf } from '../testing/raw-client.ts';

describe('the peers that may ask', () => {
  test('an untrusted peer gets 403, and the log says why at a limited rate', async () => {
    const {
      forwardAuthUrl: url,
      questions,
      logEntries,
      counterValue,
    } = await startForwardAuth({ trustedProxies: ['10.0.0.0/8'] });
    for (const [, asking] of PROXY_REQUESTS) expect((await ask(url, asking)).status).toBe(403);
    expect(
      (await send(`${url}/.guard/script.js`, { headers: { host: 'shop.example' } })).status,
    ).toBe(403);
    expect(questions).toEqual([]);
    expect(logEntries).toEqual([
      {
        event: 'forward_auth_refused',
        fields: { peer: '127.0.0.1', reason: 'not in trusted_proxies' },
      },
    ]);
    expect(counterValue('guard_forward_auth_requests_total', 'refused')).toBe(
      PROXY_REQUESTS.length + 1,
    );
  });

  test('a reload changes which peers are trusted', async () => {
    const { gateway, forwardAuthUrl: url } = await startForwardAuth();
    const [, asking] = PROXY_REQUESTS[0] ?? [];
    if (asking === undefined) throw new Error('nobody asks');
    expect((await ask(url, asking)).status).toBe(204);
    gateway.reload({ trustedProxies: [], observe: false, sites: [] });
    expect((await ask(url, asking)).status).toBe(403);
  });

  test.each(
    PROXY_REQUESTS.flatMap(([name, asking]) =>
      Object.keys(asking.headers)
        .filter((field) => field !== 'host')
        .map((field) => [name, field, asking] as const),
    ),
  )('as %s without %s gets 400, and the log says what is missing', async (_name, field, asking) => {
    const { forwardAuthUrl: url, questions, logEntries } = await startForwardAuth();
    const headers = Object.fromEntries(
      Object.entries(asking.headers).filter(([name]) => name !== field),
    );
    expect((await ask(url, { ...asking, headers })).status).toBe(400);
    expect(questions).toEqual([]);
    expect(logEntries[0]?.fields).toEqual({ peer: '127.0.0.1', reason: `no ${field}` });
  });
});

describe('a described request that is not valid', () => {
  test.each([
    ['an unknown host', { 'x-forwarded-host': 'elsewhere.example' }, 421],
    ['a host that would rewrite the URL', { 'x-forwarded-host': 'shop.example/public?' }, 400],
    ['two hosts', { 'x-forwarded-host': 'shop.example, shop.example' }, 400],
    ['a path with a space', { 'x-forwarded-uri': '/public /login' }, 400],
    ['a path with a fragment', { 'x-forwarded-uri': '/login#/public' }, 400],
    ['no path', { 'x-forwarded-uri': 'login' }, 400],
    ['a path with too many readings', { 'x-forwarded-uri': `/${'%2e/'.repeat(3_000)}` }, 400],
    ['a path that is too long', { 'x-forwarded-uri': `/${'a'.repeat(20_000)}` }, 414],
    ['an unknown scheme', { 'x-forwarded-proto': 'ftp' }, 400],
    ['two schemes', { 'x-forwarded-proto': 'https,http' }, 400],
    ['a method that is no token', { 'x-forwarded-method': 'GET /public' }, 400],
    ['CONNECT', { 'x-forwarded-method': 'CONNECT' }, 405],
    ['a path of Guard’s own', { 'x-forwarded-uri': '/x/..;/%2eguard/y' }, 404],
  ])('%s is denied, and the validator is not asked', async (_what, fault, status) => {
    const { forwardAuthUrl: url, questions } = await startForwardAuth();
    const headers = { ...forwardedHeaders, ...fault };
    expect((await send(`${url}/check/traefik`, { headers })).status).toBe(status);
    expect(questions).toEqual([]);
  });

  test('a second X-Original-URL makes the request invalid', async () => {
    const { forwardAuthPort, questions } = await startForwardAuth();
    const repeatedFields = ['https://shop.example/', 'https://shop.example/'].map(
      (url) => `X-Original-URL: ${url}`,
    );
    const answer = await rawExchange(
      forwardAuthPort,
      'GET /check/nginx HTTP/1.1',
      'Host: shop.example',
      `X-Forwarded-For: ${VISITOR}`,
      'X-Original-Method: GET',
      ...repeatedFields,
      'Connection: close',
      '',
      '',
    );
    expect(statusOf(answer)).toBe(403);
    expect(questions).toEqual([]);
  });

  test.each(['shop.example?', 'shop.example#', 'shop.example/public'])(
    'the Host %s, which would change the path of X-Original-URL, makes the request invalid',
    async (host) => {
      const { forwardAuthPort, questions } = await startForwardAuth();
      const answer = await rawExchange(
        forwardAuthPort,
        'GET /check/nginx HTTP/1.1',
        `Host: ${host}`,
        `X-Forwarded-For: ${VISITOR}`,
        'X-Original-Method: GET',
        `X-Original-URL: https://${host}/login`,
        'Connection: close',
        '',
        '',
      );
      expect(statusOf(answer)).toBe(403);
      expect(questions).toEqual([]);
    },
  );

  test('the scheme wss is read as https', async () => {
    const { forwardAuthUrl: url, questions } = await startForwardAuth();
    await send(`${url}/check/traefik`, {
      headers: { ...forwardedHeaders, 'x-forwarded-proto': 'wss' },
    });
    expect(questions[0]?.url).toBe('https://shop.example/login?a=1');
  });
});
