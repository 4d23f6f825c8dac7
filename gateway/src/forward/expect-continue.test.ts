import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { certificates, type Front, FRONTS, visit, type VisitOptions } from '../testing/fronts.ts';
import { type RigOptions, startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { waitUntil, headersOf, RawClient, rawExchange } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstored';
const CONTINUE_ANSWER = [{ status: 100, fields: [] }];
/** For tests in which only the origin asks for the body. The gateway's wait for a 100 does not end in them. */
const NEVER_MS = 60_000;

/** A visitor who sends `Expect: 100-continue` with an upload of two bytes. */
function ask(front: Front, rig: Rig, options: VisitOptions = {}) {
  const headers = { expect: '100-continue', 'content-length': '2', ...options.headers };
  return visit(front, rig, { method: 'POST', upload: true, ...options, headers });
}

type Rig = Awaited<ReturnType<typeof startGateway>>;

function start(origin: RigOptions['origin'], continueMs = NEVER_MS): Promise<Rig> {
  return startGateway({ origin, certificates, limits: { continueMs } });
}

/** Whether the origin got a header section with the expectation, and no byte of the body. */
function hasOnlyAsked(bytes: string | undefined): boolean {
  return /\r\nexpect: 100-continue\r\n[^]*?\r\n\r\n$/i.test(bytes ?? '');
}

describe.each(FRONTS)('RFC 9110 10.1.1: Expect: 100-continue over %s', (front) => {
  test('goes to the origin; the body follows its 100, and the connection is kept', async () => {
    const origin = await startTcpOrigin((socket, bytes) => {
      if (bytes.endsWith('hi')) socket.write(OK);
    });
    const rig = await start(origin.address);
    for (let round = 0; round < 2; round++) {
      if (origin.bytes[0] !== undefined) origin.bytes[0] = '';
      const visitor = ask(front, rig);
      await waitUntil(() => hasOnlyAsked(origin.bytes[0]));
      expect(visitor.interim).toEqual([]);
      origin.sockets[0]?.write(CONTINUE);
      await waitUntil(() => visitor.interim.length === 1);
      expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
      visitor.stream.end('hi');
      expect(await visitor.untilEnd()).toMatchObject({ status: 200, receivedText: 'stored' });
      expect(visitor.interim).toEqual(CONTINUE_ANSWER);
    }
    expect(origin.sockets).toHaveLength(1);
  });

  test.each([413, 417])('a final %i instead of a 100 is passed on, and the body is not read', async (status) => {
    const origin = await startTcpOrigin((socket) => {
      socket.write(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`);
    });
    const rig = await start(origin.address);
    const visitor = ask(front, rig);
    await visitor.until('no');
    expect(visitor).toMatchObject({ status, interim: [] });
    // RFC 9112 section 9.3: an incomplete request ends its connection.
    await waitUntil(() => origin.sockets[0]?.closed === true);
    expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
    expect(rig.counterValue('guard_gateway_requests_total', 'forwarded')).toBe(1);
  }); // prettier-ignore

  test('after the header section of the answer no 100 is sent and no body is read', async () => {
    const origin = await startTcpOrigin((socket, bytes) => {
      if (bytes.startsWith('POST /answered')) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha');
      }
    });
    const rig = await start(origin.address, 50);
    const answeredVisit = await ask(front, rig, { path: '/answered' }).until('ha');
    answeredVisit.stream.end('hi');
    // This request began later, and its wait for a 100 has already ended.
    const silent = ask(front, rig, { path: '/silent' });
    await waitUntil(() => silent.interim.length === 1);
    expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
    origin.sockets[0]?.write('lf');
    await answeredVisit.until('half');
    expect(answeredVisit.interim).toEqual([]);
  });

  test('an origin that sends no 100 gets the body after a while, and the visitor gets one 100 only', async () => {
    const origin = await startTcpOrigin((socket, bytes) => {
      if (bytes.endsWith('hi')) socket.write(CONTINUE + OK);
    });
    const visitor = ask(front, await start(origin.address, 50));
    await waitUntil(() => visitor.interim.length === 1);
    expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
    visitor.stream.end('hi');
    expect(await visitor.untilEnd()).toMatchObject({ status: 200, interim: CONTINUE_ANSWER });
  });

  test('a body that comes early still waits for the 100', async () => {
    const origin = await startTcpOrigin((socket, bytes) => {
      if (bytes.startsWith('GET') || bytes.endsWith('hi')) socket.write(OK);
    });
    const rig = await start(origin.address);
    const visitor = ask(front, rig);
    visitor.stream.end('hi');
    await waitUntil(() => hasOnlyAsked(origin.bytes[0]));
    // Another request is answered while the body waits.
    await visit(front, rig).until('stored');
    expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
    origin.sockets[0]?.write(CONTINUE);
    expect(await visitor.untilEnd()).toMatchObject({ status: 200, interim: CONTINUE_ANSWER });
  });

  test('an early body is not read when the origin does not ask for it', async () => {
    const origin = await startTcpOrigin((socket) => {
      socket.write('HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno');
    });
    const visitor = ask(front, await start(origin.address));
    visitor.stream.end('hi');
    await visitor.until('no');
    await waitUntil(() => origin.sockets[0]?.closed === true);
    expect(visitor).toMatchObject({ status: 403, interim: [] });
    expect(hasOnlyAsked(origin.bytes[0])).toBe(true);
  });

  test('when the origin closes without an answer, the visitor gets 502 and no 100', async () => {
    const origin = await startTcpOrigin((socket) => socket.end());
    const rig = await start(origin.address);
    const visitor = await ask(front, rig).untilHead();
    expect(visitor).toMatchObject({ status: 502, interim: [] });
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'reset')).toBe(1);
  });

  test('when one origin accepts no connection, the next origin gets the request', async () => {
    const origin = await startTcpOrigin((socket, bytes) => {
      socket.write(bytes.endsWith('hi') ? OK : CONTINUE);
    });
    const rig = await start([refusingAddress(), origin.address]);
    const visitor = ask(front, rig);
    await waitUntil(() => visitor.interim.length === 1);
    visitor.stream.end('hi');
    expect(await visitor.untilEnd()).toMatchObject({ status: 200, interim: CONTINUE_ANSWER });
    expect(rig.counterValue('guard_gateway_requests_total', 'forwarded')).toBe(1);
  });

  test('a visitor who leaves while waiting is logged as 499, and the origin request is cancelled', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const rig = await start(origin.address);
    const visitor = ask(front, rig);
    await waitUntil(() => hasOnlyAsked(origin.bytes[0]));
    visitor.stream.destroy();
    await waitUntil(() => origin.sockets[0]?.closed === true);
    const goneEvents = rig.logEntries.filter(({ event }) => event === 'gateway_visitor_gone');
    expect(goneEvents.map(({ fields }) => fields['status'])).toEqual([499]);
    expect(rig.counterValue('guard_gateway_requests_total', 'aborted')).toBe(1);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'reset')).toBe(0);
  });

  test.each(['with its length', 'in chunks'])('10 MiB %s arrive complete', async (framing) => {
    const hash = createHash('sha256');
    const upload = Buffer.alloc(10 * 1024 * 1024, 'any of 26 letters, and more');
    const origin = await startOrigin((req, res) => {
      req.on('data', (part: Buffer) => hash.update(part));
      req.on('end', () => res.end('stored'));
    });
    const visitor = visit(front, await start(origin.address), {
      method: 'PUT',
      upload: true,
      headers: {
        expect: '100-Continue',
        ...(framing === 'in chunks' ? {} : { 'content-length': String(upload.length) }),
      },
    });
    await waitUntil(() => visitor.interim.length === 1);
    visitor.stream.end(upload);
    expect(await visitor.untilEnd()).toMatchObject({ status: 200, interim: CONTINUE_ANSWER });
    expect(hash.digest('hex')).toBe(createHash('sha256').update(upload).digest('hex'));
    expect(origin.requests[0]?.headers.expect).toBe('100-Continue');
  });
});

test('RFC 9112 9.3: the connection stays open after a 100, and closes when no 100 came', async () => {
  const origin = await startTcpOrigin((socket, bytes) => {
    if (bytes.startsWith('PUT')) socket.write('HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno');
    else socket.write(bytes.endsWith('hi') ? OK : CONTINUE);
    if (bytes.endsWith('hi')) origin.bytes[0] = '';
  });
  const { port } = await start(origin.address);
  const client = new RawClient(port);
  const send = (method: string) => {
    client.receivedText = '';
    const fields = ['Host: shop.example', 'Expect: 100-continue', 'Content-Length: 2'];
    client.send(`${method} / HTTP/1.1`, ...fields, '', '');
  };
  for (let round = 0; round < 2; round++) {
    send('POST');
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.send('hi');
    await client.until(/ 200 OK\r\n[^]*stored$/);
  }
  send('PUT');
  const refusal = await client.untilClosed();
  expect(refusal).toMatch(/^HTTP\/1\.1 417 No\r\n[^]*no$/);
  expect(headersOf(refusal, 'connection')).toEqual(['close']);
});

describe('RFC 9110 10.1.1: expectations that do not reach the origin', () => {
  test('the expectation of HTTP/1.0 is ignored', async () => {
    const origin = await startOrigin();
    const { port } = await start(origin.address);
    const lines = ['POST / HTTP/1.0', 'Host: shop.example', 'Expect: 100-continue'];
    const received = await rawExchange(port, ...lines, 'Content-Length: 2', '', 'hi');
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(origin.requests[0]).toMatchObject({ body: 'hi' });
    expect(origin.requests[0]?.headers.expect).toBeUndefined();
  });

  test('the gateway answers other expectations itself', async () => {
    const origin = await startOrigin((req, res) => req.on('end', () => res.end('stored')).resume());
    const { port } = await start(origin.address);
    const client = new RawClient(port);
    const head = ['POST / HTTP/1.1', 'Host: shop.example', 'Connection: close'];
    client.send(...head, 'Expect: own, 100-continue', 'Content-Length: 2', '', '');
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    client.send('hi');
    expect(await client.untilClosed()).toContain('stored');
    expect(origin.requests[0]?.headers.expect).toBeUndefined();
  });

  test('a request without a body does not wait for a 100', async () => {
    const origin = await startOrigin();
    const { port } = await start(origin.address);
    const lines = ['GET / HTTP/1.1', 'Host: shop.example', 'Expect: 100-continue', '', ''];
    expect(await rawExchange(port, ...lines)).toMatch(/^HTTP\/1\.1 200 /);
    expect(origin.requests[0]?.headers.expect).toBeUndefined();
  });

  test('a denied visitor gets no 100, and the request does not reach the origin', async () => {
    const { port, origin } = await startGatewayWithOrigin({
      validate: () => ({ kind: 'rejected', status: 401, type: 'invalid_api_key' }),
    });
    const lines = ['POST / HTTP/1.1', 'Host: shop.example', 'Expect: 100-continue'];
    expect(await rawExchange(port, ...lines, 'Content-Length: 2', '', '')).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    expect(origin.requests).toEqual([]);
  });
});
