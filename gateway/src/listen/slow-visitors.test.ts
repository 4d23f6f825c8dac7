import type { ValidateOutcome } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, visit } from '../testing/fronts.ts';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, frame, FrameClient, headersFrame, openHttp2 } from '../testing/http2-client.ts';
import { connectHttp1, eventually, get, RawClient, statusOf } from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const transports = ['TCP', 'TLS'] as const;
const post = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':authority', 'shop.example'],
  [':path', '/upload'],
] as const;

/** A connection for HTTP/1.1 to a gateway that serves both. */
function connectTo(
  transport: (typeof transports)[number],
  rig: { readonly port: number; readonly tlsPort: number },
): RawClient {
  return new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
}

describe('a header section has a time limit, also when bytes keep coming (slowloris)', () => {
  test.each(transports)('over %s, one byte after the other: 408', async (transport) => {
    const { origin, ...rig } = await startGatewayWithOrigin({
      certificates,
      limits: { headersTimeoutMs: 400, connectionsCheckingIntervalMs: 50 },
    });
    const client = connectTo(transport, rig);
    let sent = 0;
    const head = `GET / HTTP/1.1\r\n${HOST}\r\nX-A: ${'a'.repeat(10_000)}`;
    const drip = setInterval(() => client.socket.write(head[sent++] ?? 'a'), 20);
    try {
      expect(statusOf(await client.untilClosed())).toBe(408);
    } finally {
      clearInterval(drip);
    }
    expect(sent).toBeGreaterThan(2);
    expect(origin.arrived).toEqual([]);
    expect(statusOf(await get(rig.port))).toBe(200);
  });

  test('over HTTP/2, HEADERS without an end: the connection ends', async () => {
    const limits = { keepAliveTimeoutMs: 200, lingerMs: 100 };
    const { origin, ...rig } = await startGatewayWithOrigin({ certificates, limits });
    const client = new FrameClient(rig.tlsPort);
    const unfinished = headersFrame(1, post);
    unfinished[4] = 0;
    client.send(unfinished);
    const drip = setInterval(
      () => client.send(frame(9, 0, 1, Buffer.from([0, 1, 0x78, 1, 0x61]))),
      20,
    );
    try {
      await eventually(() => client.isClosed);
    } finally {
      clearInterval(drip);
    }
    expect(origin.arrived).toEqual([]);
  });
});

describe('64 slow uploads do not delay other visitors', () => {
  test.each(transports)(
    'over %s: each GET is answered while all of them are open',
    async (transport) => {
      const origin = await startOrigin((req, res) => {
        if (req.method === 'GET') res.end('hello');
        else req.on('end', () => res.end('stored'));
      });
      const rig = await startGateway({ origin: origin.address, certificates });
      let underway = 0;
      origin.server.on('request', (req) => {
        if (req.method === 'POST') underway++;
      });
      const slow = Array.from({ length: 64 }, () => connectTo(transport, rig));
      for (const client of slow)
        client.send('POST / HTTP/1.1', HOST, 'Content-Length: 20', '', 'x');
      await eventually(() => underway === 64);
      for (let round = 0; round < 10; round++) {
        for (const client of slow) client.send('x');
        expect(statusOf(await get(rig.port))).toBe(200);
      }
      expect(slow.every(({ received }) => received === '')).toBe(true);
      for (const client of slow) client.send('x'.repeat(9));
      await Promise.all(slow.map((client) => client.until(/ 200 OK[^]*stored/)));
    },
  );

  test('over HTTP/2, on one connection with the GETs', async () => {
    const origin = await startOrigin((req, res) => {
      if (req.method === 'GET') res.end('hello');
      else req.on('end', () => res.end('stored'));
    });
    let underway = 0;
    origin.server.on('request', (req) => {
      if (req.method === 'POST') underway++;
    });
    const session = openHttp2(
      (await startGateway({ origin: origin.address, certificates })).tlsPort,
    );
    const slow = Array.from({ length: 64 }, () =>
      session.request({ ':method': 'POST', ':path': '/', ':authority': 'shop.example' }),
    );
    for (const stream of slow) stream.on('error', () => undefined).write('x');
    await eventually(() => underway === 64);
    for (let round = 0; round < 10; round++) {
      for (const stream of slow) stream.write('x');
      expect((await exchange(session)).status).toBe(200);
    }
    for (const stream of slow) stream.resume().end('x');
    await eventually(
      () => origin.arrived.filter(({ body }) => body === 'x'.repeat(12)).length === 64,
    );
  });
});

describe('a visitor who leaves before the end (499)', () => {
  test.each(FRONTS)('over %s, before it is decided', async (front) => {
    const decision = Promise.withResolvers<ValidateOutcome>();
    let hasGone = false;
    const { origin, ...rig } = await startGatewayWithOrigin({
      certificates,
      validate: () => decision.promise,
      limits: { askTimeoutMs: 60_000 },
      tracing: () => ({
        decided: () => undefined,
        ended: () => (hasGone = true),
        sent: () => expect.unreachable(),
      }),
    });
    const visitor = visit(front, rig);
    await eventually(() => rig.asked.length === 1);
    visitor.stream.destroy();
    await eventually(() => hasGone);
    decision.resolve({ kind: 'failed', reason: 'timeout', detail: '' });
    await eventually(() => rig.counted('guard_gateway_requests_total', 'aborted') === 1);
    const gone = rig.logged.filter(({ event }) => event === 'gateway_visitor_gone');
    expect(gone.map(({ fields }) => fields)).toEqual([{ site: 'shop.example', status: 499 }]);
    expect(origin.arrived).toEqual([]);
  });

  test.each(transports)('over %s, of an upload and of an answer', async (transport) => {
    const origin = await startTcpOrigin((socket, head) => {
      if (head.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    });
    const rig = await startGateway({ origin: origin.address, certificates });
    const uploading = connectTo(transport, rig);
    uploading.send('POST / HTTP/1.1', HOST, 'Content-Length: 9', '', 'part');
    await eventually(() => origin.bytes[0]?.endsWith('part') === true);
    const downloading = connectTo(transport, rig);
    downloading.send('GET / HTTP/1.1', HOST, '', '');
    await downloading.until(/part/);
    uploading.socket.destroy();
    downloading.socket.destroy();
    await eventually(
      () => origin.sockets.length === 2 && origin.sockets.every(({ closed }) => closed),
    );
    const gone = rig.logged.filter(({ event }) => event === 'gateway_visitor_gone');
    expect(gone.map(({ fields }) => fields['status'])).toEqual([499, 499]);
    expect(rig.counted('guard_gateway_requests_total', 'aborted')).toBe(2);
    expect(rig.counted('guard_gateway_origin_errors_total', 'truncated')).toBe(0);
  });

  test('over HTTP/2, by a reset and with the connection', async () => {
    const origin = await startTcpOrigin((socket, head) => {
      if (head.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    });
    const rig = await startGateway({ origin: origin.address, certificates });
    const client = new FrameClient(rig.tlsPort);
    client.send(headersFrame(1, post, false), frame(0, 0, 1, Buffer.from('part')));
    await eventually(() => origin.bytes[0]?.includes('part') === true);
    client.send(headersFrame(3, [[':method', 'GET'], ...post.slice(1)]));
    await eventually(() => client.typesOn(3).includes(0));
    client.send(frame(3, 0, 1, Buffer.from([0, 0, 0, 8])));
    await eventually(() => origin.sockets[0]?.closed === true);
    expect(origin.sockets[1]?.closed).toBe(false);
    client.socket.destroy();
    await eventually(() => origin.sockets[1]?.closed === true);
    expect(rig.counted('guard_gateway_requests_total', 'aborted')).toBe(2);
    expect(rig.counted('guard_gateway_origin_errors_total', 'truncated')).toBe(0);
  });
});
