import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answering, html, startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import {
  bodyOf,
  eventually,
  headersOf,
  rawExchange,
  RawClient,
  statusOf,
} from '../testing/raw-client.ts';
import { refusingAddress, startOrigin } from '../testing/recording-origin.ts';

const HANDSHAKE = [
  'Host: shop.example',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** An origin that accepts WebSockets and sends back every byte. */
async function startEcho() {
  const handshakes: { url: string; rawHeaders: readonly string[] }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_req, res) => res.writeHead(404).end('plain'));
  server.on('upgrade', (req, socket, head) => {
    const { url = '', rawHeaders } = req;
    handshakes.push({ url, rawHeaders });
    sockets.add(req.socket);
    const accept = createHash('sha1')
      .update(`${req.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.write(head);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, handshakes, sockets };
}

test('RFC 6455: frames go both ways, also those sent with the handshake', async () => {
  const origin = await startEcho();
  const { port, asked, counted } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  client.send('GET /%2e%2e/chat?x=1? HTTP/1.1', ...HANDSHAKE, '', 'early');
  const received = await client.until(/\r\n\r\nearly/);
  expect(statusOf(received)).toBe(101);
  expect(headersOf(received, 'sec-websocket-accept')).toEqual(['s3pPLMBiTxaQ9kYGzzhZRbK+xOo=']);
  client.send('more');
  await client.until(/earlymore/);
  expect(asked[0]?.url).toBe('http://shop.example/%2e%2e/chat?x=1?');
  // The validator and the origin get the same path.
  expect(origin.handshakes[0]?.url).toBe('/%2e%2e/chat?x=1?');
  expect(counted('guard_gateway_requests_total', 'forwarded')).toBe(1);
});

test('a handshake loses the same header fields as a request', async () => {
  const origin = await startEcho();
  const { port } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  const extra = [
    'X_Guard_Decision: allow',
    'X-Forwarded-For: 6.6.6.6',
    'Proxy-Authorization: x',
    'Cookie: a=1',
  ];
  client.send('GET / HTTP/1.1', ...HANDSHAKE, ...extra, '', '');
  await client.until(/ 101 /);
  const raw = origin.handshakes[0]?.rawHeaders ?? [];
  const headers = new Map(
    raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1]]] : [])),
  );
  expect(headers.get('x-guard-decision')).toBe('allow');
  expect(headers.get('x-forwarded-for')).toBe('127.0.0.1');
  expect(headers.get('cookie')).toBe('a=1');
  expect(headers.get('host')).toBe('shop.example');
  expect([...headers.keys()].filter((name) => /guard_|proxy/i.test(name))).toEqual([]);
});

test('RFC 9110 10.1.1: a handshake with Expect reaches the origin', async () => {
  const origin = await startEcho();
  const { port } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  client.send(
    'GET /chat HTTP/1.1',
    ...HANDSHAKE,
    'Expect: 100-continue',
    'Trailer: x',
    '',
    'early',
  );
  expect(statusOf(await client.until(/\r\n\r\nearly/))).toBe(101);
});

test('contract 4.1 rule 2: cookies of an allow go onto the handshake’s answer', async () => {
  const origin = await startEcho();
  const cookie = {
    name: '_guard',
    value: 'v',
    domain: '',
    path: '/',
    secure: false,
    same_site: 'Lax',
    max_age: 9,
  };
  const { port } = await startGateway({
    origin: origin.address,
    validate: answering({ cookies: [cookie] }),
  });
  const client = new RawClient(port);
  client.send('GET / HTTP/1.1', ...HANDSHAKE, '', '');
  const received = await client.until(/\r\n\r\n/);
  expect(headersOf(received, 'set-cookie')).toEqual(['_guard=v; Path=/; Max-Age=9; SameSite=Lax']);
});

test('a denied handshake gets an ordinary answer, and does not reach the origin', async () => {
  const origin = await startEcho();
  const { port } = await startGateway({
    origin: origin.address,
    validate: async () => {
      await Promise.resolve();
      return {
        kind: 'answered',
        response: { success: true, decision: 'block', response_html: html('no') },
      };
    },
  });
  const answer = await rawExchange(port, 'GET / HTTP/1.1', ...HANDSHAKE, '', '');
  expect(statusOf(answer)).toBe(403);
  expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
  expect(bodyOf(answer)).toBe('no');
  expect(origin.handshakes).toEqual([]);
});

test('an unknown host, the collector’s paths and absolute-form nonsense are refused for handshakes too', async () => {
  const origin = await startEcho();
  const { port } = await startGateway({ origin: origin.address });
  const other = ['Host: other.example', ...HANDSHAKE.slice(1)];
  expect(statusOf(await rawExchange(port, 'GET / HTTP/1.1', ...other, '', ''))).toBe(421);
  expect(statusOf(await rawExchange(port, 'GET /.guard/x HTTP/1.1', ...HANDSHAKE, '', ''))).toBe(
    404,
  );
  expect(
    statusOf(await rawExchange(port, 'GET http://a:99999/ HTTP/1.1', ...HANDSHAKE, '', '')),
  ).toBe(400);
  expect(origin.handshakes).toEqual([]);
});

test('an origin that is away gives 502; an answer that refuses the handshake is passed on', async () => {
  const away = await startGateway({ origin: refusingAddress() });
  expect(statusOf(await rawExchange(away.port, 'GET / HTTP/1.1', ...HANDSHAKE, '', ''))).toBe(502);
  expect(away.counted('guard_gateway_origin_errors_total', 'connect')).toBe(1);

  const plain = await startOrigin((_req, res) => res.writeHead(404).end('plain'));
  const { port } = await startGateway({ origin: plain.address });
  const answer = await rawExchange(port, 'GET / HTTP/1.1', ...HANDSHAKE, '', '');
  expect(statusOf(answer)).toBe(404);
  expect(answer).toContain('plain');
});

test.each([
  {
    name: 'h2c',
    lines: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
  },
  {
    name: 'a list',
    lines: ['Connection: Upgrade', 'Upgrade: websocket, h2c', 'Sec-WebSocket-Key: x'],
  },
  { name: 'no key', lines: ['Connection: Upgrade', 'Upgrade: websocket'] },
])(
  'RFC 9110 7.8: any other Upgrade is ignored, and the request is an ordinary one: $name',
  async ({ lines }) => {
    const origin = await startOrigin((_req, res) =>
      res.setHeader('Connection', 'close').end('plain'),
    );
    const { port } = await startGateway({
      origin: origin.address,
      limits: { keepAliveTimeoutMs: 50 },
    });
    const client = new RawClient(port);
    client.send('GET / HTTP/1.1', 'Host: shop.example', ...lines, '', '');
    await client.until(/plain/);
    expect(origin.arrived[0]?.headers.upgrade).toBeUndefined();
  },
);

test('a handshake with a body is an ordinary request', async () => {
  const { port, origin } = await startGatewayWithOrigin();
  const smuggled = 'GET /admin HTTP/1.1\r\nHost: shop.example\r\n\r\n';
  const client = new RawClient(port);
  client.send('GET / HTTP/1.1', ...HANDSHAKE, `Content-Length: ${smuggled.length}`, '', smuggled);
  await client.until(/hello/);
  await eventually(() => origin.arrived.length === 1);
  expect(origin.arrived[0]?.body).toBe(smuggled);
});

test('RFC 6455 7.4.1: a gateway that closes sends 1001 to both sides, and a visitor who leaves ends the origin’s side', async () => {
  const origin = await startEcho();
  const { gateway, port } = await startGateway({ origin: origin.address });
  const [first, second] = [new RawClient(port), new RawClient(port)];
  first.send('GET / HTTP/1.1', ...HANDSHAKE, '', '');
  await first.until(/ 101 /);
  second.send('GET / HTTP/1.1', ...HANDSHAKE, '', '');
  await second.until(/ 101 /);
  first.socket.destroy();
  const [one, other] = [...origin.sockets];
  await eventually(() => one?.closed === true);
  let told = '';
  other?.on('data', (part: Buffer) => (told += part.toString('latin1')));
  await gateway.close();
  expect(await second.untilClosed()).toMatch(/\r\n\r\n\x88\x02\x03\xe9$/);
  await eventually(() => other?.closed === true);
  // A client masks what it sends.
  expect(told).toBe('\x88\x82\0\0\0\0\x03\xe9');
});

test('a tunnel whose visitor reads nothing does not keep a gateway from closing', async () => {
  const origin = await startEcho();
  const rig = await startGateway({ origin: origin.address, limits: { drainMs: 50 } });
  const client = new RawClient(rig.port);
  client.send('GET / HTTP/1.1', ...HANDSHAKE, '', '');
  await client.until(/ 101 /);
  client.socket.pause();
  const [far] = [...origin.sockets];
  far?.write(Buffer.alloc(16 * 1024 * 1024));
  await rig.gateway.close();
  await eventually(() => far?.closed === true);
});
