import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { type RigOptions, startGateway } from '../testing/gateway-rig.ts';
import { exchange, frame, FrameClient, headersFrame, openHttp2 } from '../testing/http2-client.ts';
import { waitUntil } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const NO_BYTES = Buffer.alloc(0);
const [DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS] = [0, 1, 2, 3, 4] as const;
const [PING, GOAWAY, WINDOW_UPDATE, CONTINUATION, UNKNOWN] = [6, 7, 8, 9, 99] as const;
const get = (path = '/') =>
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'shop.example'],
    [':path', path],
  ] as const;
const post = [[':method', 'POST'] as const, ...get().slice(1)];

async function startFlooded(options: Partial<RigOptions> = {}) {
  const origin = await startOrigin((req, res) => {
    if (req.url === '/large') res.end(Buffer.alloc(4 * 1024 * 1024));
    else if (req.url !== '/silent') req.on('end', () => res.end('hello'));
  });
  const rig = await startGateway({ origin: origin.address, certificates, ...options });
  return { origin, ...rig };
}

/** Sends a burst over and over, until the gateway has ended the connection. */
async function flood(client: FrameClient, burst: Buffer): Promise<void> {
  const isOver = () => client.isClosed || client.typesOn(0).includes(GOAWAY);
  await waitUntil(() => {
    if (!isOver() && client.socket.writableLength === 0) client.send(burst);
    return isOver();
  });
}

const repeatFrame = (bytes: Buffer) => Buffer.concat(Array.from({ length: 10_000 }, () => bytes));
const emptyFrames = (type: number, flags: number, stream: number) =>
  repeatFrame(frame(type, flags, stream, NO_BYTES));

/** Requests on many streams, each with a frame that ends it. */
function endedStreams(lastFrameOf: (stream: number) => Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let id = 1; id < 400; id += 2)
    frames.push(headersFrame(id, get('/silent')), lastFrameOf(id));
  return Buffer.concat(frames);
}
const resets = endedStreams((id) => frame(RST_STREAM, 0, id, Buffer.from([0, 0, 0, 8])));

/** HEADERS of one stream without END_HEADERS: CONTINUATION has to follow. */
const openHeaders = (stream: number) => {
  const whole = headersFrame(stream, get());
  whole[4] = 0;
  return whole;
};
/** A CONTINUATION frame with 50 fields, which does not end the header section. */
const field = Buffer.concat([Buffer.from([0, 3]), Buffer.from('x-a'), Buffer.from([1, 0x62])]);
const moreHeaders = Buffer.concat(
  Array.from({ length: 50 }, () =>
    frame(CONTINUATION, 0, 1, Buffer.concat(Array.from({ length: 50 }, () => field))),
  ),
);

describe('RFC 9113 10.5: a flood ends only its own connection', () => {
  const cases: readonly [string, Buffer, Buffer][] = [
    ['CONTINUATION that never ends the section (CVE-2024-27316)', openHeaders(1), moreHeaders],
    [
      'CONTINUATION without content (CVE-2024-28182)',
      openHeaders(1),
      emptyFrames(CONTINUATION, 0, 1),
    ],
    ['resets of streams that were opened (CVE-2023-44487)', NO_BYTES, resets],
    [
      'windows that overflow, so that the gateway resets (CVE-2025-8671)',
      NO_BYTES,
      endedStreams((id) => frame(WINDOW_UPDATE, 0, id, Buffer.from([0x7f, 255, 255, 255]))),
    ],
    ['DATA without content (CVE-2019-9518)', headersFrame(1, post, false), emptyFrames(DATA, 0, 1)],
    [
      'DATA of padding alone',
      headersFrame(1, post, false),
      repeatFrame(frame(DATA, 8, 1, Buffer.alloc(1))),
    ],
    ['PRIORITY (CVE-2019-9513)', NO_BYTES, repeatFrame(frame(PRIORITY, 0, 9, Buffer.alloc(5, 1)))],
    ['frames of an unknown type', NO_BYTES, emptyFrames(UNKNOWN, 0, 0)],
    [
      'SETTINGS that want to be acknowledged (CVE-2019-9515)',
      NO_BYTES,
      emptyFrames(SETTINGS, 0, 0),
    ],
    ['PING (CVE-2019-9512)', NO_BYTES, repeatFrame(frame(PING, 0, 0, Buffer.alloc(8)))],
    ['DATA of a stream that was never opened', NO_BYTES, emptyFrames(DATA, 0, 9)],
    ['WINDOW_UPDATE of nothing', NO_BYTES, frame(WINDOW_UPDATE, 0, 0, Buffer.alloc(4))],
    [
      'SETTINGS of 64 entries',
      NO_BYTES,
      frame(SETTINGS, 0, 0, Buffer.alloc(6 * 64, Buffer.from([0, 9, 0, 0, 0, 1]))),
    ],
  ];
  test.each(cases)('%s', async (name, opening, burst) => {
    const { origin, tlsPort } = await startFlooded({
      limits: { http2ResetBurst: 50, http2ResetRate: 1, keepAliveTimeoutMs: 500, lingerMs: 200 },
    });
    const client = new FrameClient(tlsPort);
    client.send(opening);
    if (name.startsWith('PING') || name.startsWith('SETTINGS that')) client.socket.pause();
    await flood(client, burst);
    expect(origin.requests.length).toBeLessThan(400);
    expect((await exchange(openHttp2(tlsPort))).status).toBe(200);
  });
});

test('RFC 9113 10.5: no memory stays in use after floods, and other visitors are answered in the meantime', async () => {
  const limits = { http2ResetBurst: 50, http2ResetRate: 1 };
  const { tlsPort, counterValue } = await startFlooded({ limits });
  const neighbour = openHttp2(tlsPort);
  const floodOnce = async (opening: Buffer, burst: Buffer) => {
    const client = new FrameClient(tlsPort);
    client.send(opening);
    const floodEnded = flood(client, burst);
    expect((await exchange(neighbour)).status).toBe(200);
    await floodEnded;
    client.socket.destroy();
  };
  const floodOnceMore = async () => {
    await floodOnce(NO_BYTES, resets);
    await floodOnce(openHeaders(1), moreHeaders);
    await floodOnce(headersFrame(1, post, false), emptyFrames(DATA, 0, 1));
  };
  await floodOnceMore();
  const bytesBefore = await keptBytes();
  for (let i = 0; i < 5; i++) await floodOnceMore();
  // In trials the memory grew by 2 MiB, because the rig records each request.
  expect((await keptBytes()) - bytesBefore).toBeLessThan(4 * 1024 * 1024);
  expect(counterValue('guard_gateway_requests_total', 'failed')).toBe(0);
});

setFlagsFromString('--expose-gc');
// The flag `--expose-gc` defines this function.
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after garbage collection. It takes a few rounds until the memory of buffers is free. */
async function keptBytes(): Promise<number> {
  let leastBytes = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    leastBytes = Math.min(leastBytes, heapUsed + external);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return leastBytes;
}

describe('RFC 9113 10.5.1: the size of a header section is the decoded size', () => {
  test('HPACK bomb: a table entry that is repeated a thousand times ends only its own request', async () => {
    const { origin, tlsPort } = await startFlooded();
    const client = new FrameClient(tlsPort);
    const pseudo = headersFrame(1, get()).subarray(9);
    const name = Buffer.from([0x40, 3, ...Buffer.from('x-a')]);
    // 3000 octets as an integer with a prefix of seven bits (RFC 7541 section 5.1).
    const entry = Buffer.concat([name, Buffer.from([0x7f, 0xb9, 0x16]), Buffer.alloc(3_000, 'b')]);
    const references = Buffer.alloc(1_000, 0x80 | 62);
    client.send(frame(HEADERS, 5, 1, Buffer.concat([pseudo, entry, references])));
    await client.outcomeOf(1);
    expect(client.statusOn(1)).not.toBe(200);
    expect(origin.requests).toEqual([]);
    expect((await exchange(openHttp2(tlsPort))).status).toBe(200);
  });
});

describe('RFC 9113 5.1 and 8.1: frames in the wrong order', () => {
  const trailers = (fields: readonly (readonly [string, string])[]) => headersFrame(1, fields);
  test.each([
    ['trailers with a pseudo-header', trailers([[':path', '/admin']])],
    ['trailers with transfer-encoding', trailers([['transfer-encoding', 'chunked']])],
    ['trailers with a name in capitals', trailers([['X-A', 'b']])],
    ['DATA beyond the length', frame(DATA, 1, 1, Buffer.from('abcd'))],
    ['less DATA than the length', frame(DATA, 1, 1, Buffer.from('a'))],
    ['padding longer than the frame', frame(DATA, 9, 1, Buffer.from([9, 0x61]))],
    ['a window of more than 2^31', frame(WINDOW_UPDATE, 0, 1, Buffer.from([0x7f, 255, 255, 255]))],
    ['a stream of the server', headersFrame(2, get('/admin'))],
    ['CONTINUATION of nothing', frame(CONTINUATION, 4, 1, NO_BYTES)],
    ['a frame larger than was allowed', frame(DATA, 0, 1, Buffer.alloc(20_000))],
  ])('%s: the upload never becomes a whole request', async (_what, bytes) => {
    const { origin, tlsPort } = await startFlooded();
    const client = new FrameClient(tlsPort);
    client.send(headersFrame(1, [...post, ['content-length', '3']], false));
    client.send(bytes);
    expect(['reset', 'closed']).toContain(await client.outcomeOf(1));
    expect((await exchange(openHttp2(tlsPort))).status).toBe(200);
    expect(origin.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /']);
  });
});

describe('RFC 9113 10.5: a visitor who reads slowly or not at all', () => {
  const NO_WINDOW = frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));

  test('delays only the own answer, and loses the answer after the time limit', async () => {
    const { origin, tlsPort, counterValue } = await startFlooded({
      limits: { idleTimeoutMs: 300 },
    });
    const client = new FrameClient(tlsPort);
    client.send(NO_WINDOW, headersFrame(1, get('/large')));
    expect(await client.outcomeOf(1)).toBe('answered');
    expect(client.typesOn(1)).not.toContain(DATA);
    expect((await exchange(openHttp2(tlsPort), { ':path': '/' })).status).toBe(200);
    await waitUntil(() => client.typesOn(1).includes(RST_STREAM) || client.isClosed);
    await waitUntil(() => counterValue('guard_gateway_requests_total', 'aborted') === 1);
    expect(origin.requests).toHaveLength(2);
  });

  test('gets the answer, even byte by byte', async () => {
    const { tlsPort } = await startFlooded();
    const client = new FrameClient(tlsPort);
    client.send(NO_WINDOW, headersFrame(1, get()));
    await client.outcomeOf(1);
    const receivedBody = () =>
      client
        .framesOn(1)
        .filter(({ type }) => type === DATA)
        .map(({ payload }) => payload.toString())
        .join('');
    for (const expected of ['h', 'he', 'hel', 'hell', 'hello']) {
      client.send(frame(WINDOW_UPDATE, 0, 1, Buffer.from([0, 0, 0, 1])));
      await waitUntil(() => receivedBody() === expected);
    }
  });

  test('is cut off, even when bytes are not written yet', async () => {
    const limits = { idleTimeoutMs: 300, keepAliveTimeoutMs: 300, lingerMs: 100 };
    const { tlsPort, counterValue } = await startFlooded({ limits });
    const client = new FrameClient(tlsPort);
    const WIDE = frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0x7f, 255, 255, 255]));
    const connectionWide = frame(WINDOW_UPDATE, 0, 0, Buffer.from([0x7f, 0, 0, 0]));
    client.send(WIDE, connectionWide);
    client.send(...[1, 3, 5, 7, 9].map((id) => headersFrame(id, get('/large'))));
    await client.outcomeOf(1);
    client.socket.pause();
    await waitUntil(() => counterValue('guard_gateway_requests_total', 'aborted') > 0);
    // A client that does not read notices the end only when it writes.
    await waitUntil(() => {
      if (!client.isClosed) client.send(frame(PING, 0, 0, Buffer.alloc(8)));
      return client.isClosed;
    });
  });
});

describe('RFC 9113 5.2: answers that a visitor does not read', () => {
  /** Opens a connection that reads no byte of an answer, and asks for pages. */
  async function askWithoutReading(tlsPort: number, pages: number): Promise<FrameClient> {
    const client = new FrameClient(tlsPort);
    const noWindow = Buffer.from([0, 4, 0, 0, 0, 0]);
    client.send(frame(SETTINGS, 0, 0, noWindow));
    const ids = Array.from({ length: pages }, (_, at) => 2 * at + 1);
    client.send(...ids.map((id) => headersFrame(id, get())));
    const isAnswered = () => ids.every((id) => client.typesOn(id).includes(HEADERS));
    await waitUntil(() => client.isClosed || isAnswered());
    return client;
  }

  test('at the bound the connection with the oldest answer ends, and a neighbour is served', async () => {
    const limits = { unreadAnswersPerAddress: 10, unreadAnswersMs: 0 };
    const { tlsPort, counterValue } = await startFlooded({ limits });
    const first = await askWithoutReading(tlsPort, 8);
    expect(first.isClosed).toBe(false);
    const second = await askWithoutReading(tlsPort, 8);
    await waitUntil(() => first.isClosed);
    expect(counterValue('guard_gateway_connections_cut_total', 'answers_unread')).toBe(1);
    const neighbour = openHttp2(tlsPort);
    for (let i = 0; i < 20; i++) expect((await exchange(neighbour)).status).toBe(200);
    expect(second.isClosed).toBe(false);
  });

  test('at an address of many people, an unread answer that is younger than five seconds is kept', async () => {
    const { tlsPort } = await startFlooded({ limits: { unreadAnswersPerAddress: 10 } });
    const first = await askWithoutReading(tlsPort, 8);
    await askWithoutReading(tlsPort, 8);
    expect((await exchange(openHttp2(tlsPort))).status).toBe(200);
    expect(first.isClosed).toBe(false);
  });

  test('the bound of an address holds also when no further answer comes', async () => {
    const limits = { unreadAnswersPerAddress: 10, unreadAnswersMs: 1_000 };
    const { tlsPort, counterValue } = await startFlooded({ limits });
    const first = await askWithoutReading(tlsPort, 8);
    const second = await askWithoutReading(tlsPort, 8);
    await waitUntil(() => first.isClosed);
    expect(counterValue('guard_gateway_connections_cut_total', 'answers_unread')).toBe(1);
    expect(second.isClosed).toBe(false);
  });

  test('all addresses together have a bound, and a trusted proxy has no bound', async () => {
    const limits = { unreadAnswers: 10 };
    const { tlsPort } = await startFlooded({ limits });
    const first = await askWithoutReading(tlsPort, 8);
    await askWithoutReading(tlsPort, 8);
    await waitUntil(() => first.isClosed);

    const behindProxy = await startFlooded({ limits, trustedProxies: ['127.0.0.1'] });
    const clients = [
      await askWithoutReading(behindProxy.tlsPort, 8),
      await askWithoutReading(behindProxy.tlsPort, 8),
    ];
    expect((await exchange(openHttp2(behindProxy.tlsPort))).status).toBe(200);
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });
});
