import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { curl, HOME_IP, visit } from '../kit/visitors/visitors.ts';
import { rawExchange } from './raw-exchange.ts';
import { errorType, KEY, serveValidator } from './serve-validator.ts';
import { storeWith } from './store-with.ts';

const body = JSON.stringify(visit());

/** Returns the text of one HTTP/1.1 request. */
function raw(path: string, close: boolean): string {
  const text = JSON.stringify(visit({ url: `https://shop.example${path}` }));
  return `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${close ? 'Connection: close\r\n' : ''}\r\n${text}`;
}

describe('4.1 "response 200: body per 2.2"', () => {
  test('application/json, and an event of the API', async () => {
    const { post, events } = await serveValidator();
    const answer = await post(body);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toMatchObject({ success: true, decision: 'allow' });
    expect(events).toMatchObject([{ validator: 'api', site: '' }]);
  });

  test('a block and a challenge have status 200, too', async () => {
    const rules =
      '[{ name: b, match: { path: /b }, verdict: block }, { name: d, match: {}, detect: true }]';
    const { post } = await serveValidator({ rules });
    for (const request of [visit({ url: 'https://shop.example/b' }), visit({ headers: curl })]) {
      expect((await post(JSON.stringify(request))).status).toBe(200);
    }
  });

  test('an exceeded rate limit is 200: "/validate never answers HTTP 429" (contract 1)', async () => {
    const rules = '[{ name: r, match: {}, rate_limit: { requests: 1, per: 1h, by: ip } }]';
    const { post } = await serveValidator({ rules });
    await post(body);
    const answer = await post(body);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ rate_limited: true });
  });
});

describe('4.1 the endpoint is a POST', () => {
  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is 405 with Allow: POST (RFC 9110 15.5.6), before the key and the body',
    async (method) => {
      const { url, events } = await serveValidator();
      const answer = await send(`${url}/validate`, { method, headers: { 'x-api-key': 'wrong' } });
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('POST');
      if (method === 'HEAD') expect(answer.body).toBe('');
      else expect(errorType(answer)).toBe('invalid_request');
      expect(events).toEqual([]);
    },
  );

  test('a query string has no effect', async () => {
    const { url } = await serveValidator();
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const answer = await send(`${url}/validate?x=1`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });
});

describe('4.1 over one connection', () => {
  test('each pipelined request is answered, in order (RFC 9112 9.3.2)', async () => {
    const { url, events } = await serveValidator();
    const paths = ['/1', '/2', '/3', '/4'];
    const answers = await rawExchange(
      url,
      paths.map((path, i) => raw(path, i === paths.length - 1)).join(''),
    );
    expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(4);
    expect(events.map(({ path }) => path)).toEqual(paths);
    const ids = [...answers.matchAll(/"request_id":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(events.map(({ requestId }) => requestId));
  });

  test('an error does not affect the next request', async () => {
    const { url } = await serveValidator();
    const bad = `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: 2\r\n\r\n{}`;
    const answers = await rawExchange(url, bad + raw('/', true));
    expect(answers.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });

  test('an aborted upload leads to no decision and no log line, and does not affect other requests', async () => {
    const { url, post, events, log } = await serveValidator();
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const closeEvent = new Promise((resolve) => socket.once('close', resolve));
    socket.write(raw('/broken', false).slice(0, -20), () => socket.destroy());
    await closeEvent;
    await poll(
      () => post(body),
      ({ status }) => status === 200,
    );
    expect(events.map(({ path }) => path)).toEqual(['/']);
    expect(log).toEqual([]);
  });

  test('a caller that closes its connection before the answer does not affect other callers', async () => {
    const releases: (() => void)[] = [];
    const session = () =>
      new Promise<undefined>((resolve) => releases.push(() => resolve(undefined)));
    const { url, post, log } = await serveValidator({ store: storeWith({ session }) });
    const { port, hostname } = new URL(url);
    const question = JSON.stringify(visit({ cookie: '6e5f3a0e-1111-8222-8333-123456789abc' }));
    const head = `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: ${question.length}\r\n\r\n`;
    const untilAsked = (count: number) =>
      poll(
        () => Promise.resolve(releases.length),
        (length) => length === count,
      );
    const leavingSocket = connect(Number(port), hostname).on('error', () => undefined);
    const closeEvent = new Promise((resolve) => leavingSocket.once('close', resolve));
    leavingSocket.write(head + question);
    await untilAsked(1);
    leavingSocket.resetAndDestroy();
    await closeEvent;
    const otherAnswer = post(question);
    await untilAsked(2);
    for (const answer of releases) answer();
    expect((await otherAnswer).status).toBe(200);
    expect(log).toEqual([]);
  });

  test('each of many concurrent questions gets its own answer', async () => {
    const { ask, events } = await serveValidator({ organisation: { features: { country: true } } });
    const ips = [HOME_IP, '8.8.8.8', '10.0.0.1', '2001:db8::1'];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => ask(visit({ ip: ips[i % ips.length] ?? '' }))),
    );
    const ipOf = new Map(events.map(({ requestId, ip }) => [requestId, ip]));
    answers.forEach((answer, i) => {
      expect(ipOf.get(answer.request_id ?? '')).toBe(ips[i % ips.length]);
    });
  });
});
