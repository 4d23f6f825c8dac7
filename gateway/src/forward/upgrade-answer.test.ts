import { expect, test } from 'vitest';
import { validateWith, startGateway } from '../testing/gateway-rig.ts';
import {
  ACCEPT,
  bodyOf,
  waitUntil,
  HANDSHAKE,
  webSocketRequest,
  headersOf,
  RawClient,
  rawExchange,
  statusOf,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const MiB = 1024 * 1024;

test('RFC 9110 5.3: the origin gets the order of fields with one name, the spelling and the raw bytes of a handshake as sent', async () => {
  const origin = await startTcpOrigin((socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
  const { port } = await startGateway({ origin: origin.address });
  const extraFields = ['x-A: 1', 'Cookie: a=1', 'X-b: 3', 'cookie: b=2', 'X-Bytes: \xe9\xff'];
  await rawExchange(port, ...webSocketRequest('/chat', ...extraFields).toSpliced(1, 0, 'X-b: 2'));
  const lines = (origin.bytes[0] ?? '').split('\r\n');
  expect(lines[0]).toBe('GET /chat HTTP/1.1');
  expect(lines.filter((line) => /^(x-[ab]|cookie|x-bytes|host)/i.test(line))).toEqual([
    'X-b: 2',
    'X-b: 3',
    'Host: shop.example',
    'x-A: 1',
    // Two lines of Cookie mean the same as this single line (RFC 9113 section 8.2.3).
    'Cookie: a=1; b=2',
    'X-Bytes: \xe9\xff',
  ]);
  expect(lines.filter((line) => /^(connection|upgrade):/i.test(line))).toEqual([
    'Connection: Upgrade',
    'Upgrade: websocket',
  ]);
});

test.each([
  ['none', []],
  ['an empty one', ['']],
  ['a short one', ['dGhlIHNhbXBsZQ==']],
  ['a long one', ['dGhlIHNhbXBsZSBub25jZSBub25jZQ==']],
  ['17 bytes', ['dGhlIHNhbXBsZSBub25jZSE=']],
  ['bits left over', ['dGhlIHNhbXBsZSBub25jZR==']],
  ['another alphabet', ['dGhlIHNhbXBsZSBub25jZ_==']],
  ['two', ['dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25jZQ==']],
  ['two in one', ['dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==']],
])('RFC 6455 4.2.1: %s is no Sec-WebSocket-Key of 16 bytes', async (_what, keys) => {
  const origin = await startOrigin((_req, res) => res.end('plain'));
  const rig = await startGateway({ origin: origin.address });
  let tunnels = 0;
  origin.server.on('upgrade', (_req, socket) => {
    tunnels++;
    socket.destroy();
  });
  const fields = keys.map((key) => `Sec-WebSocket-Key: ${key}`);
  const answer = await rawExchange(rig.port, ...HANDSHAKE.slice(0, -3), ...fields, '', '');
  // Without a key it is an ordinary request, and its Upgrade is not forwarded.
  expect([statusOf(answer), tunnels]).toEqual([keys.length === 0 ? 200 : 400, 0]);
  expect(origin.requests.length).toBe(keys.length === 0 ? 1 : 0);
  expect(rig.counterValue('guard_gateway_requests_total', 'refused')).toBe(
    keys.length === 0 ? 0 : 1,
  );
});

test.each([
  ['another protocol', ['Upgrade: h2c', ACCEPT]],
  ['several', ['Upgrade: websocket, h2c', ACCEPT]],
  ['none', [ACCEPT]],
  ['no accept', ['Upgrade: websocket']],
  [
    'a Sec-WebSocket-Accept for another key',
    ['Upgrade: websocket', 'Sec-WebSocket-Accept: x3JJHMbDL1EzLkh9GBhXDw=='],
  ],
  ['two accepts', ['Upgrade: websocket', ACCEPT, ACCEPT]],
])('RFC 6455 4.1: a 101 that names %s opens no tunnel: 502', async (_what, fields) => {
  const origin = await startTcpOrigin((socket, head) => {
    const answerHead = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', ...fields];
    if (head.endsWith('\r\n\r\n')) socket.write([...answerHead, '', 'GET / smuggled'].join('\r\n'));
  });
  const rig = await startGateway({ origin: origin.address, limits: { originHeadersMs: 1_000 } });
  const client = new RawClient(rig.port);
  client.send(...HANDSHAKE.with(-1, 'for the tunnel'));
  const answer = await client.untilClosed();
  expect(statusOf(answer)).toBe(502);
  expect(answer).not.toContain('smuggled');
  expect(origin.bytes[0]).not.toContain('for the tunnel');
  await waitUntil(() => origin.sockets[0]?.destroyed === true);
});

test('RFC 9110 5.3: the visitor gets the order of fields with one name, the spelling and the raw bytes of a 101 as sent', async () => {
  const fields = ['X-b: 2', 'X-b: 3', 'x-A: \xe9\xff', ACCEPT];
  const origin = await startTcpOrigin((socket) =>
    socket.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade, X-Named',
        'X-Named: 1',
        'Keep-Alive: timeout=5',
        'Content-Length: 9',
        ...fields,
        '',
        '\x81\x02hi',
      ].join('\r\n'),
      'latin1',
    ),
  );
  const { port } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  client.send(...HANDSHAKE);
  const received = await client.until(/\r\n\r\n\x81\x02hi$/);
  const lines = received.slice(0, received.indexOf('\r\n\r\n')).split('\r\n');
  expect(lines.filter((line) => /^(x-|sec-|content-|keep-)/i.test(line))).toEqual(fields);
  expect(headersOf(received, 'connection')).toEqual(['Upgrade']);
  expect(headersOf(received, 'upgrade')).toEqual(['websocket']);
});

test('an answer that does not switch is passed on without hop-by-hop fields (RFC 9110 7.6.1)', async () => {
  const origin = await startTcpOrigin((socket) =>
    socket.write(
      [
        'HTTP/1.1 426 Upgrade Required',
        'Sec-WebSocket-Version: 13',
        'Connection: X-Named',
        'X-Named: 1',
        'Set-Cookie: a=\xe9',
        'set-cookie: b=2',
        'Transfer-Encoding: chunked',
        '',
        '2\r\nno\r\n0\r\n\r\n',
      ].join('\r\n'),
      'latin1',
    ),
  );
  const validate = validateWith({ headers: { 'X-Added': '1' } });
  const rig = await startGateway({ origin: origin.address, validate });
  const answer = await rawExchange(rig.port, ...HANDSHAKE);
  expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
  expect(headersOf(answer, 'sec-websocket-version')).toEqual(['13']);
  expect(headersOf(answer, 'set-cookie')).toEqual(['a=\xe9', 'b=2']);
  expect(headersOf(answer, 'x-added')).toEqual(['1']);
  expect(headersOf(answer, 'x-named')).toEqual([]);
  expect(headersOf(answer, 'connection')).toEqual(['close']);
  expect(bodyOf(answer)).toBe('2\r\nno\r\n0\r\n\r\n');
  expect(rig.counterValue('guard_gateway_requests_total', 'forwarded')).toBe(1);
});

test.each([
  ['204 No Content', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', []],
  ['304 Not Modified', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', ['5']],
])(
  'RFC 9112 6.3: %s in answer to a handshake ends with its header section',
  async (_status, originAnswer, length) => {
    const origin = await startTcpOrigin((socket) => socket.write(originAnswer));
    const { port } = await startGateway({ origin: origin.address });
    const answer = await rawExchange(port, ...HANDSHAKE);
    expect(statusOf(answer)).toBe(statusOf(originAnswer));
    expect(headersOf(answer, 'content-length')).toEqual(length);
    expect(bodyOf(answer)).toBe('');
  },
);

test('RFC 9112 8: a truncated answer of the origin never looks complete', async () => {
  const answerText = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n';
  const origin = await startTcpOrigin((socket) => socket.end(answerText));
  const rig = await startGateway({ origin: origin.address });
  const answer = await rawExchange(rig.port, ...HANDSHAKE);
  expect(statusOf(answer)).toBe(200);
  expect(answer).not.toContain('\r\n0\r\n');
  expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(1);
  expect(rig.counterValue('guard_gateway_requests_total', 'failed')).toBe(1);
});

test('a stalled answer is cut after the time limit', async () => {
  const answerText = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
  const origin = await startTcpOrigin((socket) => socket.write(answerText));
  const rig = await startGateway({ origin: origin.address, limits: { originBodyIdleMs: 50 } });
  expect(bodyOf(await rawExchange(rig.port, ...HANDSHAKE))).toBe('abc');
  expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(1);
});

test('a visitor who does not read the answer makes the origin wait, up to the time limit', async () => {
  let remainingBytes = 0;
  const origin = await startOrigin();
  origin.server.on('upgrade', ({ socket }) => {
    socket.on('error', () => undefined);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MiB}\r\n\r\n`);
    socket.write(Buffer.alloc(64 * MiB));
    const timer = setInterval(() => {
      if (!socket.destroyed) remainingBytes = socket.writableLength;
    }, 5);
    socket.once('close', () => {
      clearInterval(timer);
    });
  });
  const rig = await startGateway({ origin: origin.address, limits: { idleTimeoutMs: 500 } });
  const client = new RawClient(rig.port);
  client.socket.pause();
  client.send(...HANDSHAKE);
  await waitUntil(() => rig.counterValue('guard_gateway_requests_total', 'aborted') === 1);
  expect(remainingBytes).toBeGreaterThan(32 * MiB);
  client.socket.resume();
  expect((await client.untilClosed()).length).toBeLessThan(32 * MiB);
});

test('a visitor who leaves a tunnel ends the origin’s side, even if the origin does not close', async () => {
  const origin = await startTcpOrigin((socket, head) => {
    socket.allowHalfOpen = true;
    if (head.endsWith('\r\n\r\n')) socket.write(SWITCHED_HEAD);
  });
  const { port } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  client.send(...HANDSHAKE);
  await client.until(/\r\n\r\n/);
  client.socket.resetAndDestroy();
  await waitUntil(() => {
    origin.sockets[0]?.write('are you there?');
    return origin.sockets[0]?.destroyed === true;
  });
});
