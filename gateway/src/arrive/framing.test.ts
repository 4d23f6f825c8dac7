import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import {
  waitUntil,
  get,
  headersOf,
  rawExchange,
  RawClient,
  statusOf,
} from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';

describe('bodies are passed on', () => {
  const SMUGGLED_REQUEST = 'GET /admin HTTP/1.1\r\nHost: shop.example\r\n\r\n';

  test.each(['DELETE', 'OPTIONS', 'GET', 'HEAD', 'POST'])(
    'a chunked %s body is framed again for the origin, which never gets a second request',
    async (method) => {
      const { port, origin } = await startGatewayWithOrigin();
      const chunk = [SMUGGLED_REQUEST.length.toString(16), SMUGGLED_REQUEST, '0', '', ''];
      const head = [`${method} /x HTTP/1.1`, HOST, CLOSE, 'Transfer-Encoding: chunked', ''];
      expect(statusOf(await rawExchange(port, ...head, ...chunk))).toBe(200);
      await get(port, '/victim');
      await waitUntil(() => origin.requests.length >= 2);
      expect(origin.requests.map(({ url, body }) => [url, body])).toEqual([
        ['/x', SMUGGLED_REQUEST],
        ['/victim', ''],
      ]);
    },
  );

  test('a GET with Content-Length keeps its body', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    const head = ['GET /x HTTP/1.1', HOST, CLOSE, `Content-Length: ${SMUGGLED_REQUEST.length}`, ''];
    await rawExchange(port, ...head, SMUGGLED_REQUEST);
    await waitUntil(() => origin.requests.length === 1);
    expect(origin.requests[0]?.body).toBe(SMUGGLED_REQUEST);
  });
});

describe('request targets', () => {
  test('RFC 9112 3.2.2: absolute-form of the same authority becomes origin-form', async () => {
    const { port, questions, origin } = await startGatewayWithOrigin();
    await rawExchange(port, 'GET HTTP://Shop.example/a?b HTTP/1.1', HOST, CLOSE, '', '');
    await rawExchange(port, 'GET http://shop.example?b HTTP/1.1', HOST, CLOSE, '', '');
    expect(origin.requests.map(({ url }) => url)).toEqual(['/a?b', '/?b']);
    expect(questions.map(({ url }) => url)).toEqual([
      'http://shop.example/a?b',
      'http://shop.example/?b',
    ]);
  });

  test.each(['/%2e%2e/admin', '/a\\..\\b', '//a//b', '/a;x=1/..;/b', '/a%00b', '/?a=/../b'])(
    'the validator and the origin see the same raw path: %s',
    async (path) => {
      const { port, questions, origin } = await startGatewayWithOrigin();
      await get(port, path);
      expect(origin.requests[0]?.url).toBe(path);
      expect(questions[0]?.url).toBe(`http://shop.example${path}`);
    },
  );
});

describe('limits', () => {
  test('RFC 6585 5: more than 256 header fields, or 32 KiB of them, get 431 instead of being cut off', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    const manyFields = Array.from({ length: 300 }, (_, i) => `X-${i}: 1`);
    expect(statusOf(await get(port, '/', ...manyFields))).toBe(431);
    expect(statusOf(await get(port, '/', `X-Long: ${'x'.repeat(40_000)}`))).toBe(431);
    expect(statusOf(await get(port, '/', ...manyFields.slice(0, 250)))).toBe(200);
    expect(origin.requests).toHaveLength(1);
  });

  test('a target that is too long for the validator gets 414', async () => {
    const { port } = await startGatewayWithOrigin();
    expect(statusOf(await get(port, `/${'a'.repeat(17_000)}`))).toBe(414);
  });

  test('too many requests under way on one connection get 503 with Retry-After', async () => {
    const heldResponses: ServerResponse[] = [];
    const origin = await startOrigin((_req, res) => heldResponses.push(res));
    const limits = { maxPipelined: 2, drainMs: 0 };
    const { port, counterValue } = await startGateway({ origin: origin.address, limits });
    const client = new RawClient(port);
    const getRequest = ['GET / HTTP/1.1', HOST, '', ''].join('\r\n');
    client.send(getRequest.repeat(5));
    await waitUntil(() => counterValue('guard_gateway_requests_total', 'refused') === 1);
    for (const count of [1, 2]) {
      await waitUntil(() => heldResponses.length === count);
      heldResponses.at(-1)?.end('hello');
    }
    const receivedText = await client.untilClosed();
    const refusal = receivedText.slice(receivedText.indexOf('HTTP/1.1 503'));
    expect(headersOf(refusal, 'retry-after')).toEqual(['1']);
  });
});

test('an unknown host gets 421; a known host gets its site, with any port and in upper or lower case', async () => {
  const { port, counterValue, origin } = await startGatewayWithOrigin();
  const unknown = await rawExchange(port, 'GET / HTTP/1.1', 'Host: other.example', CLOSE, '', '');
  expect(statusOf(unknown)).toBe(421);
  expect(unknown).toContain('text/plain');
  expect(counterValue('guard_gateway_requests_total', 'unknown_host')).toBe(1);
  const knownHost = await rawExchange(
    port,
    'GET / HTTP/1.1',
    'Host: SHOP.example:81',
    CLOSE,
    '',
    '',
  );
  expect(statusOf(knownHost)).toBe(200);
  expect(origin.requests[0]?.headers.host).toBe('SHOP.example:81');
});
