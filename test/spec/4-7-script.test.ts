import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Session } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { hashUserAgent } from '../../validator/src/request/user-agent-hash.ts';
import { send } from '../kit/http.ts';
import { CHROME_UA, chromeHttps, googlebot, visit } from '../kit/visitors/visitors.ts';
import { serveValidator } from './serve-validator.ts';
import { neverSettles, storeWith } from './store-with.ts';

const ORIGIN = 'https://shop.example';
const OPTIONS = {
  organisation: { site_key: 'site_acme', script_origins: [ORIGIN] },
  neighbour: { site_key: 'site_globex', script_origins: ['https://globex.example'] },
};
const QUERY = '?site_key=site_acme';

async function scriptUrl(query = QUERY) {
  const { collectorUrl } = await serveValidator(OPTIONS);
  return `${collectorUrl}/script.js${query}`;
}

describe('4.7 GET /script.js: "401 when the key is missing or wrong (no signals collected)"', () => {
  test.each(['', '?site_key=', '?site_key=site_other', '?site_key=SITE_ACME', '?key=site_acme'])(
    'with %s',
    async (query) => {
      const answer = await send(await scriptUrl(query));
      expect(answer).toMatchObject({ status: 401, body: '' });
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  test('a request with a wrong key is refused, even with the right ETag', async () => {
    const { etag = '' } = (await send(await scriptUrl())).headers;
    const headers = { 'if-none-match': String(etag) };
    expect((await send(await scriptUrl('?site_key=wrong'), { headers })).status).toBe(401);
  });

  test('a request with the right key gets a script, and no browser reads it as another type', async () => {
    const { status, headers, body } = await send(await scriptUrl());
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'Accept-Encoding',
    });
    expect(body).toContain('GuardInitialized');
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('the script has less than 12 kB after gzip', async () => {
    const { body } = await send(await scriptUrl());
    expect(gzipSync(body, { level: 6 }).length).toBeLessThan(12_000);
  });

  test('the script adds no listener that would prevent the back/forward cache', async () => {
    const { body } = await send(await scriptUrl());
    expect(body).not.toMatch(/["'`.](?:on)?(?:before)?unload\b/);
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('a client that accepts %s gets the script in this coding', async (coding, decode) => {
    const plain = await send(await scriptUrl());
    const headers = { 'accept-encoding': `identity, ${coding};q=0.5, zstd` };
    const head = await send(await scriptUrl(), { method: 'HEAD', headers });
    expect(head.headers['content-encoding']).toBe(coding);
    const raw = await rawBody(await scriptUrl(), headers);
    expect(raw).toHaveLength(Number(head.headers['content-length']));
    expect(decode(raw).toString()).toBe(plain.body);
  });

  test('a client does not get a coding that it refuses', async () => {
    for (const encoding of ['br;q=0, gzip;q=0.000', 'identity', '', 'brx']) {
      const answer = await send(await scriptUrl(), { headers: { 'accept-encoding': encoding } });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.body).toContain('GuardInitialized');
    }
  });

  test('HEAD is GET without the body (RFC 9110 9.3.2)', async () => {
    const whole = await send(await scriptUrl());
    const head = await send(await scriptUrl(), { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.headers['etag']).toBe(whole.headers['etag']);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is 405', async (method) => {
    const answer = await send(await scriptUrl(), { method });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD');
  });
});

describe('4.7 the script is cached (RFC 9110 13.1.2)', () => {
  test('all keys and codings of a build have one ETag, and a client that sends it gets 304', async () => {
    const { etag = '', 'cache-control': caching } = (await send(await scriptUrl())).headers;
    expect(caching).toBe('public, max-age=600');
    for (const query of [QUERY, '?site_key=site_globex']) {
      for (const condition of [String(etag), `"old", ${String(etag)}`, '*']) {
        const headers = { 'if-none-match': condition, 'accept-encoding': 'br' };
        const answer = await send(await scriptUrl(query), { headers });
        expect(answer).toMatchObject({ status: 304, body: '' });
        expect(answer.headers).toMatchObject({ etag, 'cache-control': caching });
        expect(answer.headers).not.toHaveProperty('content-length');
        expect(answer.headers).not.toHaveProperty('content-type');
      }
    }
    const other = await send(await scriptUrl(), { headers: { 'if-none-match': 'W/"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('POST /session: a ticket and a session for the script', () => {
  interface OpenedTicket {
    readonly ticket: string;
    readonly cookie: Readonly<Record<string, unknown>>;
  }

  async function open(
    options: { query?: string; headers?: Record<string, string>; body?: string } = {},
    served: Parameters<typeof serveValidator>[0] = OPTIONS,
  ) {
    const { collectorUrl } = await serveValidator(served);
    const { query = QUERY, headers = {}, body = '' } = options;
    return send(`${collectorUrl}/session${query}`, {
      method: 'POST',
      headers: { ...chromeHttps, host: 'collector.example', origin: ORIGIN, ...headers },
      body,
    });
  }
  const ticketIn = (answer: { body: string }) => JSON.parse(answer.body) as OpenedTicket;

  test('gives the cookie of contract 2.3 and a ticket, which no cache may keep', async () => {
    const answer = await open();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json') as string,
      'cache-control': 'no-store',
      'access-control-allow-origin': ORIGIN,
      vary: 'Origin',
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    const { ticket, cookie } = ticketIn(answer);
    expect(ticket.length).toBeGreaterThan(100);
    expect(cookie).toMatchObject({ name: '_guard', domain: '', path: '/', secure: true });
  });

  test('the cookie is the same as in a response of the validator', async () => {
    const { ask } = await serveValidator(OPTIONS);
    const { cookies = [] } = await ask(visit({ url: `${ORIGIN}/` }));
    const { cookie } = ticketIn(await open());
    expect({ ...cookie, value: '' }).toEqual({ ...cookies[0], value: '' });
  });

  test('a session that Guard issued is used again; a malformed, forged or foreign session is ignored', async () => {
    const cookie = ticketIn(await open()).cookie['value'];
    expect(ticketIn(await open({ body: String(cookie) })).cookie['value']).toBe(cookie);
    const neighbours = await open({
      query: '?site_key=site_globex',
      headers: { origin: 'https://globex.example' },
    });
    const foreign = String(ticketIn(neighbours).cookie['value']);
    for (const body of ['', 'nonsense', randomUUID(), foreign]) {
      const { value } = ticketIn(await open({ body })).cookie;
      expect(value).toMatch(/^[0-9a-f-]{36}$/);
      expect([cookie, body]).not.toContain(value);
    }
  });

  test.each(['', '?site_key=wrong'])('401 with %s, on any page', async (query) => {
    expect(await open({ query })).toMatchObject({ status: 401, body: '' });
  });

  test.each(['https://evil.example', 'null', 'https://globex.example', `${ORIGIN}.evil.example`])(
    '403 on a page of %s, and the page cannot read the answer',
    async (origin) => {
      const answer = await open({ headers: { origin } });
      expect(answer.status).toBe(403);
      expect(answer.body).toContain('script_origins');
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('403 without an Origin, because every browser sends Origin with a POST', async () => {
    const { collectorUrl } = await serveValidator(OPTIONS);
    const answer = await send(`${collectorUrl}/session${QUERY}`, { method: 'POST' });
    expect(answer.status).toBe(403);
  });

  test('"never to a matched crawler" (2.2): 204, and no session', async () => {
    expect(await open({ headers: googlebot })).toMatchObject({ status: 204, body: '' });
  });

  test('a body that is longer than eight cookies is 413, below and above the limit of the server', async () => {
    expect((await open({ body: 'x'.repeat(401) })).status).toBe(413);
    expect((await open({ body: 'x'.repeat(70_000) })).status).toBe(413);
  });

  test.each(['GET', 'PUT', 'OPTIONS'])('%s is 405', async (method) => {
    const { collectorUrl } = await serveValidator(OPTIONS);
    const answer = await send(`${collectorUrl}/session${QUERY}`, { method });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  test('429 with Retry-After after too many sessions of one network, until the time of Retry-After is over', async () => {
    const options = { ...OPTIONS };
    const { time } = await serveValidator(options);
    let answer = await open({}, options);
    let ticketCount = 0;
    for (; answer.status === 200 && ticketCount < 1000; ticketCount++)
      answer = await open({}, options);
    expect(answer.status).toBe(429);
    expect(ticketCount).toBeGreaterThan(20);
    time.now += Number(answer.headers['retry-after']) * 1000;
    expect((await open({}, options)).status).toBe(200);
  });

  test.each([
    ['is down', () => Promise.reject(new Error('store down'))],
    ['never answers', () => neverSettles<number>()],
  ])('503 without a body when the store %s', async (_how, take) => {
    const answer = await open({}, { ...OPTIONS, store: storeWith({ take }) });
    expect(answer).toMatchObject({ status: 503, body: '' });
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  test.each([
    ['rejected', 403],
    ['verified', 200],
  ] as const)('a session that was %s: %d', async (state, status) => {
    const body = randomUUID();
    const session: Session = {
      organisation: 'acme',
      state,
      reasons: [],
      userAgentHash: hashUserAgent(CHROME_UA),
      network: '127.0.0.0/24',
      client: '',
      judgedAt: 0,
    };
    const store = storeWith({ session: (id) => (id === body ? session : undefined) });
    const answer = await open({ body }, { ...OPTIONS, store });
    expect(answer.status).toBe(status);
    // A rejected session gets no second upload. A verified session is judged again.
    if (state === 'rejected') expect(answer.body).toBe('');
    else expect(ticketIn(answer).cookie['value']).toBe(body);
  });
});

describe('4.7 the collector answers nothing else', () => {
  test.each(['/', '/script', '/script.js/', '/session/x', '/verify/', '/.guard/script.js'])(
    '%s is 404, and the answer repeats no text of the request',
    async (path) => {
      const { collectorUrl } = await serveValidator(OPTIONS);
      expect(await send(collectorUrl + path)).toMatchObject({ status: 404, body: '' });
    },
  );
});

/** The body of an answer, not decoded. */
function rawBody(url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts)));
    }).on('error', reject);
  });
}
