import { describe, expect, test } from 'vitest';
import type { ValidateOutcome } from '@guard/config/contract/ports';
import {
  ask,
  PROXY_REQUESTS,
  forwardedHeaders,
  originalUrlHeaders,
  VISITOR,
} from '../../../test/kit/peers/asking-proxies.ts';
import { send } from '../../../test/kit/http.ts';
import { startForwardAuth } from '../testing/forward-auth-rig.ts';
import { allow, validateWith, GUARD_COOKIE, encodeHtml } from '../testing/gateway-rig.ts';
import { rawExchange, statusOf } from '../testing/raw-client.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const block = validateWith({
  decision: 'block',
  status_code: 451,
  response_html: encodeHtml('<p>no</p>'),
});

describe('a question of a proxy', () => {
  test.each(PROXY_REQUESTS)(
    'in the form of %s is judged like any request (contract 2.1)',
    async (name, asking) => {
      const { forwardAuthUrl: url, questions, counterValue } = await startForwardAuth();
      const answer = await ask(url, asking, { referer: 'https://elsewhere.example/' });
      expect(answer.status).toBe(name === 'envoy' ? 200 : 204);
      expect(answer.body).toBe('');
      expect(answer.headers['x-guard-decision']).toBe('allow');
      expect(answer.headers['x-guard-request-id']).toMatch(UUID);
      expect(questions).toMatchObject([
        {
          url: 'https://shop.example/login?a=1',
          method: 'POST',
          ip: VISITOR,
          referrer: 'https://elsewhere.example/',
          headers: { host: 'shop.example', 'user-agent': 'Browser/1' },
        },
      ]);
      const names = Object.keys(questions[0]?.headers ?? {});
      expect(
        names.filter((field) => /^x-(original|forwarded-(method|host|uri))/.test(field)),
      ).toEqual([]);
      expect(counterValue('guard_forward_auth_requests_total', 'passed')).toBe(1);
    },
  );

  test.each(PROXY_REQUESTS)(
    'of %s ignores headers in the form of another proxy',
    async (name, asking) => {
      const { forwardAuthUrl: url, questions } = await startForwardAuth();
      const otherUrlHeaders = {
        ...originalUrlHeaders,
        'x-original-url': 'https://shop.example/public',
      };
      const otherFields =
        name === 'nginx' || name === 'haproxy'
          ? { ...forwardedHeaders, 'x-forwarded-uri': '/public' }
          : otherUrlHeaders;
      await ask(url, { ...asking, headers: { ...otherFields, ...asking.headers } });
      expect(questions.map(({ url: about }) => about)).toEqual(['https://shop.example/login?a=1']);
    },
  );

  test('about a skipped path is answered without a question to the validator', async () => {
    const { forwardAuthUrl: url, questions } = await startForwardAuth({
      skip: ['/assets/**'],
      validate: block,
    });
    const askAbout = (path: string) =>
      send(`${url}/check/nginx`, {
        headers: { ...originalUrlHeaders, 'x-original-url': `https://shop.example${path}` },
      });
    const skippedCheck = await askAbout('/assets/shop.css');
    expect([skippedCheck.status, skippedCheck.headers['x-guard-decision']]).toEqual([
      204,
      'not_matched',
    ]);
    expect(questions).toEqual([]);
    expect((await askAbout('/assets/%2e%2e/login')).status).toBe(403);
  });

  test('passes on cookies and headers of an allow, and forbids shared caches to keep them (contract 4.1 rule 2)', async () => {
    const { forwardAuthUrl: url } = await startForwardAuth({
      validate: validateWith({ cookies: [GUARD_COOKIE], headers: { 'Accept-CH': 'Sec-CH-UA' } }),
    });
    const { headers } = await ask(url, {
      path: '/check/nginx',
      method: 'GET',
      headers: originalUrlHeaders,
    });
    expect(headers['set-cookie']).toEqual(['_guard=v; Path=/; Max-Age=60; SameSite=Lax']);
    expect(headers['accept-ch']).toBe('Sec-CH-UA');
    expect(headers['cache-control']).toBe('private');
  });
});

describe('a denied question', () => {
  test.each(PROXY_REQUESTS.slice(2))(
    'of %s is answered with the page itself',
    async (_name, asking) => {
      const { forwardAuthUrl: url, counterValue } = await startForwardAuth({ validate: block });
      const answer = await ask(url, asking);
      expect([answer.status, answer.body]).toEqual([451, '<p>no</p>']);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('x-guard-decision');
      expect(counterValue('guard_forward_auth_requests_total', 'denied')).toBe(1);
    },
  );

  test.each(PROXY_REQUESTS.slice(0, 2))(
    'of %s gets 403, and the next request fetches the page, once',
    async (_name, asking) => {
      const { forwardAuthUrl: url, questions } = await startForwardAuth({ validate: block });
      const { status, headers, body } = await ask(url, asking);
      expect([status, body]).toEqual([403, '']);
      const id = String(headers['x-guard-answer']);
      const fetch = () =>
        ask(
          url,
          { path: '/answer', method: 'POST', headers: originalUrlHeaders },
          { 'x-guard-answer': id },
        );
      const page = await fetch();
      expect([page.status, page.body]).toEqual([451, '<p>no</p>']);
      expect(questions).toHaveLength(1);
      // An instance without the held answer judges the request again, with the same result.
      expect((await fetch()).status).toBe(451);
      expect(questions).toHaveLength(2);
    },
  );

  test('gets 503 when the visitor would pass by the time the page is fetched', async () => {
    const { forwardAuthUrl: url } = await startForwardAuth();
    const answer = await send(`${url}/answer`, { headers: originalUrlHeaders });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  test.each([
    ['caddy', 200],
    ['traefik', 200],
    ['envoy', 200],
    ['envoy', 503],
  ])('never has a status that %s would let pass: %d becomes 403', async (name, status) => {
    const { forwardAuthUrl: url } = await startForwardAuth({
      validate: validateWith({
        decision: 'block',
        status_code: status,
        response_html: encodeHtml('no'),
      }),
    });
    const [, asking] = PROXY_REQUESTS.find(([peer]) => peer === name) ?? [];
    if (asking === undefined) throw new Error(`nobody asks as ${name}`);
    const answer = await ask(url, asking);
    expect([answer.status, answer.body]).toEqual([403, 'no']);
  });
});

describe('the fail policy is the same as in the front proxy (contract 7.1)', () => {
  const timeout: ValidateOutcome = { kind: 'failed', reason: 'timeout', detail: '' };
  const rejected: ValidateOutcome = { kind: 'rejected', status: 400, type: 'invalid_ip' };
  test.each([
    ['no answer opens', { validate: () => timeout }, 204, 'fail_open'],
    ['a 4xx closes', { validate: () => rejected }, 403, undefined],
    ['observe enforces nothing', { validate: block, observe: true }, 204, 'observe'],
    [
      'a late answer is an answer',
      { validate: () => Promise.resolve(allow({ url: '', ip: '' }, {})) },
      204,
      'allow',
    ],
  ])('%s', async (_what, options, status, decision) => {
    const { forwardAuthUrl: url } = await startForwardAuth(options);
    const answer = await send(`${url}/check/traefik`, { headers: forwardedHeaders });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-guard-decision']).toBe(decision);
  });
});

describe('a visitor’s request that a proxy hands over with its own path', () => {
  test('goes to the collector, with the visitor’s address', async () => {
    const seenHeaders: unknown[] = [];
    const { forwardAuthUrl: url } = await startForwardAuth({
      collect: ({ path, body, ip }) => {
        seenHeaders.push({ path, body, ip });
        return Promise.resolve({ status: 202, headers: {}, body: 'taken' });
      },
    });
    const answer = await send(`${url}/.guard/verify`, {
      method: 'POST',
      headers: { host: 'shop.example', 'x-forwarded-for': VISITOR, 'content-length': '4' },
      body: 'four',
    });
    expect([answer.status, answer.body]).toEqual([202, 'taken']);
    expect(seenHeaders).toEqual([{ path: '/verify', body: 'four', ip: VISITOR }]);
  });

  test.each([
    '/',
    '/check',
    '/check/',
    '/check/apache',
    '/check/nginx/',
    '/check/nginx/../../.guard/x',
    '/answer/x',
  ])('%s is not a question and gets 404', async (path) => {
    const { forwardAuthPort } = await startForwardAuth();
    const fields = Object.entries(originalUrlHeaders).map(([name, value]) => `${name}: ${value}`);
    const answer = await rawExchange(
      forwardAuthPort,
      `GET ${path} HTTP/1.1`,
      ...fields,
      'Connection: close',
      '',
      '',
    );
    expect(statusOf(answer)).toBe(404);
  });

  test('is served when the validator has an answer, such as a managed robots.txt', async () => {
    const { forwardAuthUrl: url } = await startForwardAuth({
      validate: validateWith({ response_html: encodeHtml('User-agent: *') }),
    });
    const answer = await send(`${url}/robots.txt`, {
      headers: { host: 'shop.example', 'x-forwarded-for': VISITOR },
    });
    expect([answer.status, answer.body]).toEqual([200, 'User-agent: *']);
  });
});

test('the front proxy ignores the headers of forward-auth, also from a trusted peer (GHSA-6wcg-mqvh-fcvg)', async () => {
  const { url, questions } = await startForwardAuth({ validate: block });
  const headers = {
    ...forwardedHeaders,
    ...originalUrlHeaders,
    'x-forwarded-uri': '/public',
    'x-rewrite-url': '/public',
  };
  expect((await send(`${url}/check/nginx`, { headers })).status).toBe(451);
  expect(questions).toMatchObject([{ method: 'GET', url: 'https://shop.example/check/nginx' }]);
});
