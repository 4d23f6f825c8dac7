import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, visit, wholeVisit } from '../testing/fronts.ts';
import { type RigOptions, startGateway } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { waitUntil, get, rawExchange, statusOf } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';
const POST = ['POST / HTTP/1.1', HOST, CLOSE, 'Content-Length: 2', '', 'ok'];
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const start = (origin: RigOptions['origin'], limits: RigOptions['limits'] = {}) =>
  startGateway({ origin, certificates, limits });

describe.each(FRONTS)('over %s: an origin that fails (RFC 9110 15.6)', (front) => {
  test('no connection → 502, and a second origin is tried first', async () => {
    const refusingOrigin = refusingAddress();
    const rig = await start(refusingOrigin);
    expect((await wholeVisit(front, rig)).status).toBe(502);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'connect')).toBe(1);
    const origin = await startOrigin();
    const rigOfBoth = await start([refusingOrigin, origin.address]);
    for (let i = 0; i < 4; i++) expect((await wholeVisit(front, rigOfBoth)).status).toBe(200);
  });

  test('an upload to an origin that cannot be reached gets its 502', async () => {
    const frontVisit = visit(front, await start(refusingAddress()), {
      method: 'POST',
      upload: true,
    });
    frontVisit.stream.end('hello');
    expect((await frontVisit.untilEnd()).status).toBe(502);
  });

  test('an origin with its maximum of requests under way → 503 with Retry-After', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const rig = await start(origin.address, { originPlainRequests: 1, drainMs: 0 });
    visit(front, rig);
    await waitUntil(() => origin.sockets.length === 1);
    const { status, headers } = await wholeVisit(front, rig);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'busy')).toBe(1);
  });

  test.each([
    { name: 'another protocol', answer: 'SSH-2.0-x\r\n\r\n' },
    {
      name: 'two lengths',
      answer: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    },
    {
      name: 'a control character',
      answer: 'HTTP/1.1 200 OK\r\nX: a\x01\r\nContent-Length: 0\r\n\r\n',
    },
    { name: 'no status', answer: 'HTTP/1.1 999999 OK\r\n\r\n' },
    { name: 'endless headers', answer: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n` },
    {
      name: 'an upgrade without a request for it',
      answer: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    },
  ])('an answer that is not HTTP → 502: $name', async ({ answer }) => {
    const origin = await startTcpOrigin((socket) => socket.end(answer, 'latin1'));
    const { status, receivedText } = await wholeVisit(front, await start(origin.address));
    expect([status, receivedText]).toEqual([502, 'The site cannot be reached.\n']);
  });

  test.each([
    { framing: 'Content-Length', answer: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart' },
    {
      framing: 'chunked',
      answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n',
    },
  ])(
    'RFC 9112 8: a truncated $framing body is cut off for the visitor too, and never completed',
    async ({ answer }) => {
      const origin = await startTcpOrigin((socket) => socket.end(answer));
      const rig = await start(origin.address);
      expect((await wholeVisit(front, rig)).state).toBe('cut');
      expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(1);
    },
  );
});

describe('RFC 9110 15.6.5: a stalled origin, over every protocol at once', () => {
  test('before its header section → 504', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const rig = await start(origin.address, { originHeadersMs: 100 });
    const answers = await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
    for (const { status, receivedText } of answers) {
      expect([status, receivedText]).toEqual([504, 'The site took too long to answer.\n']);
    }
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'timeout')).toBe(FRONTS.length);
    expect(origin.sockets).toHaveLength(FRONTS.length);
  });

  test('a site says how long its origin may take', async () => {
    const origin = await startTcpOrigin((socket) => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nreport'), 250);
    });
    const limits = { originHeadersMs: 1 };
    const patient = await startGateway({ origin: origin.address, limits, originTimeout: '5m' });
    expect(await wholeVisit('HTTP/1.1', patient)).toMatchObject({ status: 200 });
    const silent = await startTcpOrigin(() => undefined);
    const impatientRig = await startGateway({ origin: silent.address, originTimeout: '1s' });
    expect(await wholeVisit('HTTP/1.1', impatientRig)).toMatchObject({ status: 504 });
  });

  test('in the middle of its answer: the first part arrives, without an end', async () => {
    const part = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart';
    const origin = await startTcpOrigin((socket) => socket.write(part));
    const rig = await start(origin.address, { originBodyIdleMs: 100 });
    const answers = await Promise.all(FRONTS.map((front) => wholeVisit(front, rig)));
    for (const { status, receivedText, state } of answers) {
      expect([status, receivedText, state]).toEqual([200, 'part', 'cut']);
    }
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(FRONTS.length);
    await waitUntil(() => origin.sockets.every(({ closed }) => closed));
  });
});

describe('RFC 9110 15: a status above 599 is passed on', () => {
  const startOdd = async (answer: string) => {
    const origin = await startTcpOrigin((socket, head) =>
      socket.write(head.includes('/odd') ? answer : OK),
    );
    return start(origin.address);
  };
  const oddRequest = { path: '/odd' };

  test.each(['600', '999'])('%s is passed on over HTTP/1.1', async (status) => {
    const rig = await startOdd(OK.replace('200', status));
    for (const front of FRONTS.filter((each) => each !== 'HTTP/2')) {
      const answer = await wholeVisit(front, rig, oddRequest);
      expect([answer.status, answer.receivedText]).toEqual([Number(status), 'ok']);
    }
  });

  test.each(['600', '999'])(
    'a %s from the origin is a 502 over HTTP/2, and other streams go on',
    async (status) => {
      const rig = await startOdd(OK.replace('200', status));
      const session = openHttp2(rig.tlsPort);
      const answer = await exchange(session, { ':path': '/odd' });
      expect([answer.status, answer.body.toString()]).toEqual([
        502,
        'The site cannot be reached.\n',
      ]);
      expect((await exchange(session)).status).toBe(200);
      expect(rig.counterValue('guard_gateway_origin_errors_total', 'malformed')).toBe(1);
      expect(rig.counterValue('guard_gateway_requests_total', 'failed')).toBe(1);
    },
  );

  test('over HTTP/2 an upload under way gets 502 too', async () => {
    const rig = await startOdd('HTTP/1.1 999 Odd\r\n\r\n');
    const frontVisit = visit('HTTP/2', rig, { ...oddRequest, method: 'POST', upload: true });
    frontVisit.stream.write('part');
    expect((await frontVisit.untilHead()).status).toBe(502);
    frontVisit.stream.end();
    expect((await frontVisit.untilEnd()).state).toBe('whole');
  });
});

test.each(['POST', 'DELETE', 'PATCH'])(
  'RFC 9110 9.2.2: a %s without a body goes to another origin when no connection opened',
  async (method) => {
    const origin = await startOrigin();
    const rig = await start([refusingAddress(), refusingAddress(), origin.address]);
    for (const front of FRONTS) {
      expect((await wholeVisit(front, rig, { method })).status).toBe(200);
    }
    expect(origin.requests.map((each) => each.method)).toEqual([method, method, method]);
  },
);

test.each(FRONTS)(
  'RFC 9110 9.2.2: over %s an unread upload goes to another origin, complete',
  async (front) => {
    const origin = await startOrigin((req, res) => req.on('end', () => res.end('stored')));
    const rig = await start([refusingAddress(), refusingAddress(), origin.address]);
    const body = 'upload'.repeat(100_000);
    const frontVisit = visit(front, rig, { method: 'POST', upload: true });
    frontVisit.stream.end(body);
    expect((await frontVisit.untilEnd()).status).toBe(200);
    expect(origin.requests.map((each) => each.body === body)).toEqual([true]);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'connect')).toBe(0);
  },
);

test('a GET on a closed connection is sent once more; a POST is not', async () => {
  let isClosing = false;
  const origin = await startTcpOrigin((socket) => {
    if (isClosing && origin.sockets.indexOf(socket) === 0) socket.destroy();
    else socket.write(OK);
  });
  const { port } = await start(origin.address);
  expect(statusOf(await get(port))).toBe(200);
  isClosing = true;
  expect(statusOf(await get(port, '/again'))).toBe(200);
  expect(origin.bytes.filter((bytes) => bytes.includes('/again'))).toHaveLength(2);

  const always = await startTcpOrigin((socket) => socket.destroy());
  const rig = await start(always.address);
  expect(statusOf(await rawExchange(rig.port, ...POST))).toBe(502);
  expect(always.sockets).toHaveLength(1);
  expect(statusOf(await get(rig.port))).toBe(502);
  expect(always.sockets).toHaveLength(3);
});

test('an upload reaches the other origin, before and after Guard knows that the first origin refuses', async () => {
  const time = { now: Date.now() };
  const clock = () => time.now;
  const alive = await startOrigin();
  const rig = await startGateway({ origin: [alive.address, refusingAddress()], clock });
  const upload = async () => statusOf(await rawExchange(rig.port, ...POST));

  for (let pauses = 0; pauses < 3; pauses++) {
    for (let i = 0; i < 4; i++) expect(await upload()).toBe(200);
    if (pauses === 1) rig.gateway.reload(rig.settings);
    time.now += 1_000;
  }
  await waitUntil(() => alive.requests.length === 12);
  expect(alive.requests.every(({ body }) => body === 'ok')).toBe(true);
});

test('an origin that sends errors still gets its turn', async () => {
  const alive = await startOrigin();
  const noHttpOrigin = await startTcpOrigin((socket) => socket.end('SSH-2.0-x\r\n\r\n'));
  const rig = await startGateway({ origin: [alive.address, noHttpOrigin.address] });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push(statusOf(await get(rig.port)));
  expect(statuses.toSorted()).toEqual([200, 200, 200, 502, 502, 502]);
});
