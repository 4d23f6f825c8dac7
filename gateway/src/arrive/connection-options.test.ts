import { describe, expect, test } from 'vitest';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import {
  waitUntil,
  get,
  rawExchange,
  RawClient,
  statusOf,
  HANDSHAKE,
} from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';
const BAD = ['GET /bad#x HTTP/1.1', HOST, '', ''].join('\r\n');

describe('no further request is read from a connection on which a request was refused (RFC 9112 section 11.2)', () => {
  test('requests before a refused request are answered in order, and later requests get no answer', async () => {
    let finish = () => {};
    const origin = await startOrigin((_req, res) => (finish = () => res.end('late')));
    const { port } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    const requestBefore = ['GET /before HTTP/1.1', HOST, '', ''].join('\r\n');
    const requestAfter = ['GET /behind HTTP/1.1', HOST, '', ''].join('\r\n');
    client.send(requestBefore + BAD + requestAfter);
    await waitUntil(() => origin.requests.length === 1);
    finish();
    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*late[^]*HTTP\/1\.1 400 /);
    expect(origin.requests.map(({ url }) => url)).toEqual(['/before']);
  });

  test.each([
    { name: 'in the same segment', pause: false },
    { name: 'later', pause: true },
  ])(
    'a WebSocket handshake after the refused request is not accepted: $name',
    async ({ pause }) => {
      const { port, origin } = await startGatewayWithOrigin({ limits: { lingerMs: 300 } });
      let upgrades = 0;
      origin.server.on('upgrade', (_req, socket) => {
        upgrades++;
        socket.destroy();
      });
      const client = new RawClient(port);
      // While the body of the refused request is missing, the connection stays open. So the handshake can come later.
      const bad = ['POST /bad#x HTTP/1.1', HOST, 'Content-Length: 1', '', 'x'].join('\r\n');
      if (pause) {
        client.send(bad.slice(0, -1));
        await client.until(/ 400 /);
        client.send('x', HANDSHAKE.join('\r\n'));
      } else {
        client.send(bad + HANDSHAKE.join('\r\n'));
      }
      expect(statusOf(await client.untilClosed())).toBe(400);
      expect(upgrades).toBe(0);
    },
  );

  test('a handshake after an unanswered request is an ordinary request (RFC 9110 section 7.8)', async () => {
    let finish = () => {};
    const origin = await startOrigin((req, res) => {
      if (req.url === '/slow') finish = () => res.end('late');
      else res.end('plain');
    });
    const { port } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    client.send(['GET /slow HTTP/1.1', HOST, '', ''].join('\r\n') + HANDSHAKE.join('\r\n'));
    await waitUntil(() => origin.requests.length === 1);
    finish();
    expect(await client.untilClosed()).toMatch(
      /^HTTP\/1\.1 200 [^]*late[^]*HTTP\/1\.1 200 [^]*plain$/,
    );
    expect(statusOf(await get(port))).toBe(200);
  });

  test('section 9.6: a visitor who is still sending gets the answer, and the connection ends with the upload', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    const client = new RawClient(port);
    const bytes = 3_000_000;
    client.send('POST / HTTP/1.1', 'Host: a@b', `Content-Length: ${bytes}`, '', 'x');
    await client.until(/^HTTP\/1\.1 400 [^]*Connection: close[^]*Host is required/);
    expect(client.isClosed).toBe(false);
    client.socket.write(Buffer.alloc(bytes - 1, 'x'));
    await client.untilClosed();
    expect(origin.requests).toEqual([]);
  });

  test('the connection of a visitor who stops sending is cut', async () => {
    const { port } = await startGatewayWithOrigin({ limits: { lingerMs: 50 } });
    const client = new RawClient(port);
    client.send('POST / HTTP/1.1', 'Host: a@b', 'Content-Length: 9', '', 'x');
    expect(statusOf(await client.untilClosed())).toBe(400);
  });
});

describe('RFC 9110 7.6.1: Connection cannot remove a field of the message itself', () => {
  test('the origin gets the fields that the validator judged', async () => {
    const { port, questions, origin } = await startGatewayWithOrigin();
    const lines = [
      'Authorization: Basic eA==',
      'Cookie: a=1',
      'User-Agent: test',
      'Range: bytes=0-',
    ];
    const namedFields =
      'Connection: close, host, content-length, authorization, Cookie, USER-AGENT, range';
    const guardFieldNames =
      ', x-forwarded-for, x-forwarded-proto, x-forwarded-host, via, x-guard-decision';
    await get(port, '/', namedFields + guardFieldNames, ...lines);
    expect(origin.requests[0]?.headers).toMatchObject({
      host: 'shop.example',
      authorization: 'Basic eA==',
      cookie: 'a=1',
      'user-agent': 'test',
      range: 'bytes=0-',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'shop.example',
      via: '1.1 guard',
      'x-guard-decision': 'allow',
    });
    expect(questions[0]?.headers).toMatchObject({
      authorization: 'Basic eA==',
      'user-agent': 'test',
    });
  });

  test.each(['Content-Length: 2', 'Transfer-Encoding: chunked'])(
    'a body framed by %s arrives, although Connection names it',
    async (framing) => {
      const { port, origin } = await startGatewayWithOrigin();
      const name = framing.slice(0, framing.indexOf(':'));
      const body = framing.startsWith('C') ? 'ab' : '2\r\nab\r\n0\r\n\r\n';
      const head = ['POST / HTTP/1.1', HOST, `${CLOSE}, ${name}`, framing, ''];
      await rawExchange(port, ...head, body);
      await waitUntil(() => origin.requests.length === 1);
      expect(origin.requests[0]?.body).toBe('ab');
    },
  );
});

describe('RFC 9110 7.8: an Upgrade that is not accepted', () => {
  test.each([
    { name: 'h2c', lines: ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'], body: '' },
    { name: 'h2c with a body', lines: ['Upgrade: h2c', 'Content-Length: 2'], body: 'ab' },
    { name: 'TLS/1.0', lines: ['Upgrade: TLS/1.0'], body: '' },
    { name: 'a WebSocket without a key', lines: ['Upgrade: websocket'], body: '' },
    {
      name: 'a list with another protocol',
      lines: ['Upgrade: websocket, h2c', 'Sec-WebSocket-Key: x'],
      body: '',
    },
  ])(
    '$name: the request is an ordinary one, and the connection ends after it',
    async ({ lines, body }) => {
      const { port, origin } = await startGatewayWithOrigin();
      const client = new RawClient(port);
      client.send('POST /x HTTP/1.1', HOST, 'Connection: Upgrade', ...lines, '', body);
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close[^]*hello$/);
      expect(origin.requests.map((request) => [request.url, request.body])).toEqual([['/x', body]]);
      expect(origin.requests[0]?.headers.upgrade).toBeUndefined();
    },
  );
});
