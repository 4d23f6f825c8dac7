import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  validateWith,
  encodeHtml,
  type Rig,
  startGateway,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import { waitUntil, get, RawClient, rawExchange, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const REQUESTS = 'guard_gateway_requests_total';
const shop = selfSigned('shop.example');
const HEAD = 'GET / HTTP/1.1\r\nHost: shop.example\r\n';

function lines(rig: Rig) {
  return rig.logEntries.filter(({ event }) => event === 'gateway_request_refused');
}

async function overTls(port: number, bytes: string): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const client = new RawClient(socket);
  socket.write(bytes, 'latin1');
  return client.untilClosed();
}

describe('a refused request or path is answered, counted, and logged at a limited rate', () => {
  test.each([
    ['RFC 9112 section 3: no request line', 'nonsense\r\n\r\n', 400],
    ['RFC 9112 section 5: space before the colon', `${HEAD}A : b\r\n\r\n`, 400],
    [
      'RFC 6585 section 5: a header section that is too large',
      `${HEAD}A: ${'b'.repeat(40_000)}`,
      431,
    ],
    ['RFC 9110 section 15.5.9: a header section without an end', HEAD, 408],
  ])('%s', async (_what, bytes, status) => {
    const { origin, ...rig } = await startGatewayWithOrigin({
      certificates: [shop],
      limits: { headersTimeoutMs: 300, connectionsCheckingIntervalMs: 50 },
    });
    expect(statusOf(await rawExchange(rig.port, bytes))).toBe(status);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(1);
    expect(statusOf(await overTls(rig.tlsPort, bytes))).toBe(status);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(2);
    expect(lines(rig)).toMatchObject([{ fields: { status, peer: '127.0.0.1' } }]);
    expect(origin.requests).toEqual([]);
  });

  test('a path with too many readings', async () => {
    const rig = await startGatewayWithOrigin();
    const path = `/${'%2e/'.repeat(3_000)}`;
    for (let i = 0; i < 2; i++) expect(statusOf(await get(rig.port, path))).toBe(400);
    const fields = { status: 400, reason: 'path readings', peer: '127.0.0.1' };
    expect(lines(rig)).toEqual([{ event: 'gateway_request_refused', fields }]);
  });

  test('a connection that a browser opened in advance is not counted', async () => {
    const rig = await startGatewayWithOrigin({
      certificates: [shop],
      limits: { headersTimeoutMs: 50, connectionsCheckingIntervalMs: 50 },
    });
    await new RawClient(rig.port).untilClosed();
    await overTls(rig.tlsPort, '');
    const begunClient = new RawClient(rig.port);
    begunClient.send('GET');
    await begunClient.untilClosed();
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(1);
  });

  test('a visitor who breaks off causes no error', async () => {
    const rig = await startGatewayWithOrigin();
    const client = new RawClient(rig.port);
    client.send(HEAD);
    await waitUntil(() => client.socket.bytesWritten > 0);
    client.socket.resetAndDestroy();
    expect(statusOf(await rawExchange(rig.port, `${HEAD}Connection: close\r\n\r\n`))).toBe(200);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(0);
  });

  test('RFC 9112 section 7.1: garbage after a request gets no answer inside the answer under way', async () => {
    const origin = await startOrigin((_req, res) => {
      res.writeHead(200, { 'content-length': '1000' });
      res.write('first half;');
    });
    const rig = await startGateway({ origin: origin.address });
    const client = new RawClient(rig.port);
    // The Content-Length keeps the request from the plain lane, which would read no further before its answer is whole.
    client.send(`${HEAD}Content-Length: 0\r\n\r\n`);
    await client.until(/first half;/);
    client.send('nonsense\r\n\r\n');
    expect(await client.untilClosed()).toMatch(/first half;$/);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(1);
  });

  test('RFC 9112 section 7.1: a bad chunk size before the answer gets 400', async () => {
    const origin = await startOrigin(() => undefined);
    const rig = await startGateway({ origin: origin.address });
    const chunkedHead =
      'POST / HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(statusOf(await rawExchange(rig.port, `${chunkedHead}zz\r\n`))).toBe(400);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(1);
  });
});

describe('pipelining (RFC 9112 section 9.3.2)', () => {
  test('of 1,600 requests in one packet 16 get a page of Guard, and the next one is the last', async () => {
    const page = encodeHtml('x'.repeat(36_000));
    const rig = await startGatewayWithOrigin({
      validate: validateWith({ decision: 'block', response_html: page }),
    });
    const client = new RawClient(rig.port);
    client.send(`${HEAD}\r\n`.repeat(1_600));
    const received = await client.untilClosed();
    expect(rig.questions).toHaveLength(16);
    const statuses = received.match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual([...Array<string>(16).fill('HTTP/1.1 403'), 'HTTP/1.1 503']);
    expect(received.match(/connection: close/gi)).toHaveLength(1);
  });

  test.each([
    'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  ])('behind requests too many, this ends no other connection: %s', async (last) => {
    const origin = await startOrigin((_req, res) => setTimeout(() => res.end('late'), 50));
    const rig = await startGateway({ origin: origin.address });
    const chunked =
      'POST / HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    for (const requests of [2, 17, 18, 19]) {
      const client = new RawClient(rig.port);
      client.send(chunked.repeat(requests) + last);
      const received = await client.untilClosed();
      if (!last.startsWith('CONNECT')) expect(received).toMatch(/^HTTP\/1\.1 200 /);
      expect(received).not.toMatch(/^HTTP\/1\.1 405/);
      expect(statusOf(await get(rig.port))).toBe(200);
    }
  });

  test('the header sections that wait are together no larger than one may be', async () => {
    const origin = await startOrigin(() => undefined);
    const rig = await startGateway({ origin: origin.address });
    const client = new RawClient(rig.port);
    const large = `POST / HTTP/1.1\r\nHost: shop.example\r\nX-A: ${'a'.repeat(15_000)}\r\n\r\n`;
    client.send(`${HEAD}\r\n` + large.repeat(2));
    await waitUntil(() => origin.requests.length === 1);
    expect(rig.counterValue(REQUESTS, 'refused')).toBe(0);
    client.send(large);
    await waitUntil(() => rig.counterValue(REQUESTS, 'refused') === 1);
    expect(origin.requests).toHaveLength(1);
  });

  test('what follows a request too many is not read, and the answers before it arrive', async () => {
    const held: ServerResponse[] = [];
    const origin = await startOrigin((_req, res) => held.push(res));
    const rig = await startGateway({ origin: origin.address, limits: { maxPipelined: 2 } });
    const client = new RawClient(rig.port);
    client.send(`${HEAD}\r\n`.repeat(5) + 'nonsense\r\n\r\n');
    await waitUntil(() => held.length === 1);
    held[0]?.end('first');
    await waitUntil(() => held.length === 2);
    held[1]?.end('second');
    const received = await client.untilClosed();
    expect(received.match(/HTTP\/1\.1 \d+/g)?.map(statusOf)).toEqual([200, 200, 503]);
  });

  test.each(['GET', 'POST'])(
    'a visitor who reads nothing holds one answer to %s',
    async (method) => {
      const origin = await startOrigin((_req, res) => res.end(Buffer.alloc(8 * 1024 * 1024)));
      const rig = await startGateway({ origin: origin.address, limits: { idleTimeoutMs: 500 } });
      const client = new RawClient(rig.port);
      client.socket.pause();
      const body = method === 'POST' ? 'Content-Length: 1\r\n\r\nx' : '\r\n';
      client.send(`${method} / HTTP/1.1\r\nHost: shop.example\r\n${body}`.repeat(8));
      await waitUntil(() => rig.counterValue(REQUESTS, 'aborted') === 1);
      expect(origin.requests).toHaveLength(1);
    },
  );
});

test('connections above the limit are closed at once, counted and logged', async () => {
  const rig = await startGatewayWithOrigin({ limits: { maxConnections: 2 } });
  const idleClients = [new RawClient(rig.port), new RawClient(rig.port)];
  for (const client of idleClients) {
    client.send(`${HEAD}\r\n`);
    await client.until(/hello/);
  }
  const surplusSocket = connect(rig.port, '127.0.0.1');
  onTestFinished(() => {
    surplusSocket.destroy();
  });
  expect(await new RawClient(surplusSocket).untilClosed()).toBe('');
  expect(rig.counterValue('guard_gateway_connections_refused_total', 'full')).toBe(1);
  const [line] = rig.logEntries.filter(({ event }) => event === 'gateway_connection_refused');
  expect(line?.fields).toEqual({ reason: 'full', peer: '127.0.0.1' });
});
