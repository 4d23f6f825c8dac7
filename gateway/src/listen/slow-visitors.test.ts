import { connect } from 'node:net';
import type { ValidateOutcome } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, visit } from '../testing/fronts.ts';
import { type Rig, startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, frame, FrameClient, headersFrame, openHttp2 } from '../testing/http2-client.ts';
import { connectHttp1, waitUntil, get, RawClient, statusOf } from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const transports = ['TCP', 'TLS'] as const;
const post = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':authority', 'shop.example'],
  [':path', '/upload'],
] as const;

/** A connection for HTTP/1.1 to a gateway that serves HTTP/1.1 and HTTP/2. */
function connectTo(
  transport: (typeof transports)[number],
  rig: { readonly port: number; readonly tlsPort: number },
): RawClient {
  return new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
}

describe('a header section has a time limit, also when bytes keep coming (slowloris)', () => {
  test.each(transports)('over %s, one byte after the other gets 408', async (transport) => {
    const { origin, ...rig } = await startGatewayWithOrigin({
      certificates,
      limits: { headersTimeoutMs: 400, connectionsCheckingIntervalMs: 50 },
    });
    const client = connectTo(transport, rig);
    let sentBytes = 0;
    const head = `GET / HTTP/1.1\r\n${HOST}\r\nX-A: ${'a'.repeat(10_000)}`;
    const sendTimer = setInterval(() => client.socket.write(head[sentBytes++] ?? 'a'), 20);
    try {
      expect(statusOf(await client.untilClosed())).toBe(408);
    } finally {
      clearInterval(sendTimer);
    }
    expect(sentBytes).toBeGreaterThan(2);
    expect(origin.requests).toEqual([]);
    expect(statusOf(await get(rig.port))).toBe(200);
  });

  test('over HTTP/2, HEADERS without an end: the connection ends', async () => {
    const limits = { keepAliveTimeoutMs: 200, lingerMs: 100 };
    const { origin, ...rig } = await startGatewayWithOrigin({ certificates, limits });
    const client = new FrameClient(rig.tlsPort);
    const unfinished = headersFrame(1, post);
    unfinished[4] = 0;
    client.send(unfinished);
    const sendTimer = setInterval(
      () => client.send(frame(9, 0, 1, Buffer.from([0, 1, 0x78, 1, 0x61]))),
      20,
    );
    try {
      await waitUntil(() => client.isClosed);
    } finally {
      clearInterval(sendTimer);
    }
    expect(origin.requests).toEqual([]);
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
      let openUploads = 0;
      origin.server.on('request', (req) => {
        if (req.method === 'POST') openUploads++;
      });
      const slowClients = Array.from({ length: 64 }, () => connectTo(transport, rig));
      for (const client of slowClients)
        client.send('POST / HTTP/1.1', HOST, 'Content-Length: 20', '', 'x');
      await waitUntil(() => openUploads === 64);
      for (let round = 0; round < 10; round++) {
        for (const client of slowClients) client.send('x');
        expect(statusOf(await get(rig.port))).toBe(200);
      }
      expect(slowClients.every(({ receivedText }) => receivedText === '')).toBe(true);
      for (const client of slowClients) client.send('x'.repeat(9));
      await Promise.all(slowClients.map((client) => client.until(/ 200 OK[^]*stored/)));
    },
  );

  test('over HTTP/2, on the same connection as the GETs', async () => {
    const origin = await startOrigin((req, res) => {
      if (req.method === 'GET') res.end('hello');
      else req.on('end', () => res.end('stored'));
    });
    let openUploads = 0;
    origin.server.on('request', (req) => {
      if (req.method === 'POST') openUploads++;
    });
    const session = openHttp2(
      (await startGateway({ origin: origin.address, certificates })).tlsPort,
    );
    const slowStreams = Array.from({ length: 64 }, () =>
      session.request({ ':method': 'POST', ':path': '/', ':authority': 'shop.example' }),
    );
    for (const stream of slowStreams) stream.on('error', () => undefined).write('x');
    await waitUntil(() => openUploads === 64);
    for (let round = 0; round < 10; round++) {
      for (const stream of slowStreams) stream.write('x');
      expect((await exchange(session)).status).toBe(200);
    }
    for (const stream of slowStreams) stream.resume().end('x');
    await waitUntil(
      () => origin.requests.filter(({ body }) => body === 'x'.repeat(12)).length === 64,
    );
  });
});

describe('a visitor who leaves before the end (499)', () => {
  test.each(FRONTS)('over %s, before the decision', async (front) => {
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
    await waitUntil(() => rig.questions.length === 1);
    visitor.stream.destroy();
    await waitUntil(() => hasGone);
    decision.resolve({ kind: 'failed', reason: 'timeout', detail: '' });
    await waitUntil(() => rig.counterValue('guard_gateway_requests_total', 'aborted') === 1);
    const departures = rig.logEntries.filter(({ event }) => event === 'gateway_visitor_gone');
    expect(departures.map(({ fields }) => fields)).toEqual([{ site: 'shop.example', status: 499 }]);
    expect(origin.requests).toEqual([]);
  });

  test.each(transports)('over %s, of an upload and of an answer', async (transport) => {
    const origin = await startTcpOrigin((socket, head) => {
      if (head.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    });
    const rig = await startGateway({ origin: origin.address, certificates });
    const uploading = connectTo(transport, rig);
    uploading.send('POST / HTTP/1.1', HOST, 'Content-Length: 9', '', 'part');
    await waitUntil(() => origin.bytes[0]?.endsWith('part') === true);
    const downloading = connectTo(transport, rig);
    downloading.send('GET / HTTP/1.1', HOST, '', '');
    await downloading.until(/part/);
    uploading.socket.destroy();
    downloading.socket.destroy();
    await waitUntil(
      () => origin.sockets.length === 2 && origin.sockets.every(({ closed }) => closed),
    );
    const departures = rig.logEntries.filter(({ event }) => event === 'gateway_visitor_gone');
    expect(departures.map(({ fields }) => fields['status'])).toEqual([499, 499]);
    expect(rig.counterValue('guard_gateway_requests_total', 'aborted')).toBe(2);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(0);
  });

  test('over HTTP/2, by a reset and with the connection', async () => {
    const origin = await startTcpOrigin((socket, head) => {
      if (head.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart');
    });
    const rig = await startGateway({ origin: origin.address, certificates });
    const client = new FrameClient(rig.tlsPort);
    client.send(headersFrame(1, post, false), frame(0, 0, 1, Buffer.from('part')));
    await waitUntil(() => origin.bytes[0]?.includes('part') === true);
    client.send(headersFrame(3, [[':method', 'GET'], ...post.slice(1)]));
    await waitUntil(() => client.typesOn(3).includes(0));
    client.send(frame(3, 0, 1, Buffer.from([0, 0, 0, 8])));
    await waitUntil(() => origin.sockets[0]?.closed === true);
    expect(origin.sockets[1]?.closed).toBe(false);
    client.socket.destroy();
    await waitUntil(() => origin.sockets[1]?.closed === true);
    expect(rig.counterValue('guard_gateway_requests_total', 'aborted')).toBe(2);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(0);
  });
});

describe('visitors of HTTP/1.1 who do not read their answers', () => {
  const limits = {
    unreadAnswersPerAddress: 2,
    unreadAnswersMs: 0,
    connectionsCheckingIntervalMs: 20,
  };
  async function startWithLargeAnswer(options: { readonly trustedProxies?: string[] } = {}) {
    const origin = await startOrigin((req, res) => {
      if (req.url === '/large') res.end(Buffer.alloc(32 * 1024 * 1024));
      else res.end('hello');
    });
    return startGateway({ origin: origin.address, certificates, limits, ...options });
  }
  const askWithoutReading = (client: RawClient): void => {
    client.socket.pause();
    client.send('GET /large HTTP/1.1', HOST, '', '');
  };
  const cutCount = ({ counterValue }: Rig) =>
    counterValue('guard_gateway_connections_cut_total', 'answers_unread');

  test.each(transports)(
    'over %s, at the bound of an address, one of them is cut, and a neighbour is served',
    async (transport) => {
      const rig = await startWithLargeAnswer();
      const clients = [1, 2, 3].map(() => connectTo(transport, rig));
      clients.forEach(askWithoutReading);
      await waitUntil(() => cutCount(rig) > 0);
      const reading = connectTo(transport, rig);
      reading.send('GET / HTTP/1.1', HOST, '', '');
      await reading.until(/hello$/);
      // A connection that does not read notices its end only when it reads.
      for (const client of clients) client.socket.resume();
      await waitUntil(() => clients.some(({ isClosed }) => isClosed));
      expect(reading.isClosed).toBe(false);
      // On a busy machine, the small answer can count for a moment too.
      expect(cutCount(rig)).toBeLessThan(3);
    },
  );

  test('those behind a trusted proxy have no bound', async () => {
    const rig = await startWithLargeAnswer({ trustedProxies: ['127.0.0.1'] });
    for (let i = 0; i < 5; i += 1) askWithoutReading(connectTo('TCP', rig));
    for (let i = 0; i < 3; i += 1) {
      const visitor = connect({ port: rig.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      askWithoutReading(new RawClient(visitor));
    }
    const cuts = () => rig.logEntries.filter(({ event }) => event === 'gateway_connection_cut');
    await waitUntil(() => cuts().length > 0);
    expect(cuts()).toMatchObject([{ fields: { peer: '127.0.0.2' } }]);
  });
});
