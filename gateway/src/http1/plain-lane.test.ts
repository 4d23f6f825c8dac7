import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { rounds, seededRandom, type SeededRandom } from '../../../test/kit/seeded-random.ts';
import { certificates } from '../testing/fronts.ts';
import { type Rig, startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { bodyOf, connectHttp1, waitUntil, headersOf, RawClient } from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const CONVERSATIONS = rounds(60, 400);

function open(transport: 'TCP' | 'TLS', rig: Rig): RawClient {
  return new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
}

/** An origin that repeats the request in its answer. */
function startEcho() {
  return startOrigin((req, res) => {
    let length = 0;
    req.on('data', (part: Buffer) => (length += part.length));
    req.on('end', () => res.end(`<${req.method ?? ''} ${req.url ?? ''} ${length}>`));
  });
}

describe.each(['TCP', 'TLS'] as const)('over %s', (transport) => {
  test('RFC 9112 section 9.3: one connection carries plain requests first, and other requests later', async () => {
    const origin = await startEcho();
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    client.send('GET /1 HTTP/1.1', HOST, '', '');
    await client.until(/<GET \/1 0>/);
    client.send('GET /2 HTTP/1.1', HOST, '', '');
    await client.until(/<GET \/2 0>/);
    client.send('POST /3 HTTP/1.1', HOST, 'Content-Length: 3', '', 'abc');
    await client.until(/<POST \/3 3>/);
    client.send('GET /4 HTTP/1.1', HOST, 'Connection: close', '', '');
    const received = await client.untilClosed();
    expect(received.match(/ 200 OK/g)).toHaveLength(4);
    expect(received.match(/<[^>]*>/g)?.join()).toBe('<GET /1 0>,<GET /2 0>,<POST /3 3>,<GET /4 0>');
  });

  test('RFC 9112 section 9.3.2: a request that comes before the last answer waits and is not lost', async () => {
    const answers: (() => void)[] = [];
    const origin = await startOrigin((req, res) => {
      answers.push(() => res.end(`<${req.url ?? ''}>`));
    });
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    client.send('GET /1 HTTP/1.1', HOST, '', '');
    await waitUntil(() => answers.length === 1);
    for (const path of ['/2', '/3']) client.send(`GET ${path} HTTP/1.1`, HOST, '', '');
    await waitUntil(() => client.socket.writableLength === 0);
    answers[0]?.();
    await client.until(/<\/1>/);
    for (const count of [2, 3]) {
      await waitUntil(() => answers.length === count);
      answers[count - 1]?.();
    }
    const received = await client.until(/<\/3>/);
    expect(received.match(/<[^>]*>/g)?.join()).toBe('</1>,</2>,</3>');
  });

  test('RFC 9112 section 9.3.2: garbage after a request is refused after the answer to the request', async () => {
    let finish = (): unknown => undefined;
    const origin = await startOrigin((_req, res) => {
      res.write('first half;');
      finish = () => res.end('second half');
    });
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    client.send('GET / HTTP/1.1', HOST, '', '');
    await client.until(/first half;/);
    client.send('nonsense', '', '');
    await waitUntil(() => client.socket.writableLength === 0);
    finish();
    expect(await client.untilClosed()).toMatch(
      /first half;[^]*second half\r\n0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n$/,
    );
  });

  test('RFC 9112 section 7.1: an answer of unknown length is sent in chunks with trailers', async () => {
    const origin = await startOrigin((_req, res) => {
      res.setHeader('Trailer', 'X-Sum');
      res.write('first;');
      res.addTrailers({ 'X-Sum': '42' });
      setImmediate(() => res.end('second'));
    });
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    for (let turn = 0; turn < 2; turn++) {
      client.receivedText = '';
      client.send('GET / HTTP/1.1', HOST, '', '');
      const received = await client.until(/0\r\nX-Sum: 42\r\n\r\n$/);
      expect(headersOf(received, 'transfer-encoding')).toEqual(['chunked']);
      expect(bodyOf(received)).toBe('6\r\nfirst;\r\n6\r\nsecond\r\n0\r\nX-Sum: 42\r\n\r\n');
    }
  });

  test.each([
    ['HEAD, with the length of the body that it leaves out', 'HEAD', 200, { 'Content-Length': '5' }],
    ['HEAD without a length', 'HEAD', 200, {}],
    ['204', 'GET', 204, {}],
    ['304 (RFC 9110 section 15.4.5)', 'GET', 304, { ETag: '"a"' }],
  ])('RFC 9112 section 6.3: no body after %s', async (_what, method, status, fields) => {
    const origin = await startOrigin((_req, res) => res.writeHead(status, fields).end());
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    for (let turn = 0; turn < 2; turn++) {
      client.receivedText = '';
      client.send(`${method} / HTTP/1.1`, HOST, '', '');
      const received = await client.until(/\r\n\r\n/);
      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\n\\r\\n$`));
      expect(headersOf(received, 'transfer-encoding')).toEqual([]);
      expect(headersOf(received, 'date')).toHaveLength(1);
      for (const [name, value] of Object.entries(fields)) {
        expect(headersOf(received, name)).toEqual([value]);
      }
    }
  }); // prettier-ignore

  test('RFC 8297: hints are sent before the answer, and the connection is kept', async () => {
    const origin = await startOrigin((_req, res) => {
      res.writeEarlyHints({ link: ['</a.css>; rel=preload', '</b.js>; rel=preload'] }, () => {
        res.end('hello');
      });
    });
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    for (let turn = 0; turn < 2; turn++) {
      client.receivedText = '';
      client.send('GET / HTTP/1.1', HOST, '', '');
      expect(await client.until(/hello/)).toMatch(
        /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a\.css>; rel=preload, <\/b\.js>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/i,
      );
    }
  });

  test('RFC 9110 section 6.6.1: the Date of the origin is kept', async () => {
    const date = 'Tue, 15 Nov 1994 08:12:31 GMT';
    const origin = await startOrigin((_req, res) => {
      res.setHeader('Date', date);
      res.end('hello');
    });
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    client.send('GET / HTTP/1.1', HOST, '', '');
    expect(headersOf(await client.until(/hello/), 'date')).toEqual([date]);
  });

  test('no more requests are read from a visitor who does not read answers', async () => {
    const body = 'x'.repeat(16 * 1024);
    const origin = await startOrigin((_req, res) => res.end(body));
    const client = open(transport, await startGateway({ origin: origin.address, certificates }));
    client.socket.pause();
    let askedCount = 0;
    do {
      client.send('GET / HTTP/1.1', HOST, '', '');
      askedCount++;
    } while (await becomesTrue(() => origin.requests.length === askedCount));
    // The kernel's buffers take a few MiB of them.
    expect(askedCount).toBeLessThan(2_000);
    client.socket.resume();
    await waitUntil(() => origin.requests.length === askedCount);
    await waitUntil(() => client.receivedText.length > askedCount * body.length);
  });
});

/** False when the condition does not become true within the usual time. */
async function becomesTrue(condition: () => boolean): Promise<boolean> {
  for (let look = 0; look < 200 && !condition(); look++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return condition();
}

describe('connections end when they should', () => {
  test.each([
    ['nothing ever came', { headersTimeoutMs: 100 }, false],
    ['nothing came for keepAliveTimeoutMs after an answer', { keepAliveTimeoutMs: 100 }, true],
  ])('%s', async (_what, limits, sendsRequest) => {
    const rig = await startGatewayWithOrigin({
      limits: { connectionsCheckingIntervalMs: 20, ...limits },
    });
    const client = new RawClient(rig.port);
    if (sendsRequest) client.send('GET / HTTP/1.1', HOST, '', '');
    const received = await client.untilClosed();
    expect(received).toMatch(sendsRequest ? /hello$/ : /^$/);
    expect(rig.counterValue('guard_gateway_requests_total', 'refused')).toBe(0);
  });

  test('an answer is cut when no byte moves for idleTimeoutMs, and not before', async () => {
    let sentRequests = 0;
    const origin = await startOrigin((req, res) => {
      res.write('begun');
      if (req.url === '/moves') {
        const sendTimer = setInterval(() => {
          res.write('.');
          if (++sentRequests === 20) res.end('done');
        }, 40);
        res.on('close', () => {
          clearInterval(sendTimer);
        });
      }
    });
    // A busy machine may pause for the time of five drops.
    const limits = { connectionsCheckingIntervalMs: 20, idleTimeoutMs: 250 };
    const rig = await startGateway({ origin: origin.address, limits });
    const stuck = new RawClient(rig.port);
    stuck.send('GET / HTTP/1.1', HOST, '', '');
    const moving = new RawClient(rig.port);
    moving.send('GET /moves HTTP/1.1', HOST, '', '');
    expect(await stuck.untilClosed()).toMatch(/begun/);
    await moving.until(/done/);
    expect(rig.counterValue('guard_gateway_requests_total', 'aborted')).toBe(1);
  });

  test('a draining gateway closes idle connections at once, and busy ones after their answer', async () => {
    const answers: (() => void)[] = [];
    const origin = await startOrigin((req, res) => {
      if (req.url === '/') res.end('hello');
      else answers.push(() => res.end('late'));
    });
    const rig = await startGateway({ origin: origin.address });
    const [fresh, idle, busy] = [1, 2, 3].map(() => new RawClient(rig.port));
    await waitUntil(() => fresh?.socket.readyState === 'open');
    idle?.send('GET / HTTP/1.1', HOST, '', '');
    await idle?.until(/hello/);
    busy?.send('GET /late HTTP/1.1', HOST, '', '');
    await waitUntil(() => answers.length === 1);
    const gatewayClosed = rig.gateway.close();
    await Promise.all([fresh?.untilClosed(), idle?.untilClosed()]);
    expect(busy?.isClosed).toBe(false);
    answers[0]?.();
    const received = (await busy?.untilClosed()) ?? '';
    expect(headersOf(received, 'connection')).toEqual(['close']);
    expect(bodyOf(received)).toBe('late');
    await gatewayClosed;
  });

  test('a draining gateway waits for drainMs and no longer', async () => {
    const origin = await startOrigin((_req, res) => res.write('for ever'));
    const rig = await startGateway({ origin: origin.address, limits: { drainMs: 50 } });
    const client = new RawClient(rig.port);
    client.send('GET / HTTP/1.1', HOST, '', '');
    await client.until(/for ever/);
    await rig.gateway.close();
    await client.untilClosed();
  });

  test('when the origin breaks off, the connection is cut, so that the answer does not look complete', async () => {
    const origin = await startTcpOrigin((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n');
      setImmediate(() => socket.destroy());
    });
    const rig = await startGateway({ origin: origin.address });
    const client = new RawClient(rig.port);
    client.send('GET / HTTP/1.1', HOST, '', '');
    expect(await client.untilClosed()).not.toMatch(/0\r\n\r\n$/);
  });
});

interface GeneratedRequest {
  readonly bytes: string;
  readonly answer: string;
}

function generateRequest(random: SeededRandom, index: number): GeneratedRequest {
  const path = `/${index}`;
  switch (random.below(6)) {
    case 0: {
      const body = 'b'.repeat(random.below(40));
      const bytes = `POST ${path} HTTP/1.1\r\n${HOST}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      return { bytes, answer: `<POST ${path} ${body.length}>` };
    }
    case 1: {
      const bytes = `PUT ${path} HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
      return { bytes, answer: `<PUT ${path} 3>` };
    }
    case 2: {
      const bytes = `GET ${path} HTTP/1.1\r\n${HOST}\r\nCookie: a\r\nCookie: b\r\n\r\n`;
      return { bytes, answer: `<GET ${path} 0>` };
    }
    default:
      return {
        bytes: `GET ${path} HTTP/1.1\r\n${HOST}\r\nX-A: ${'a'.repeat(random.below(80))}\r\n\r\n`,
        answer: `<GET ${path} 0>`,
      };
  }
}

test(`${CONVERSATIONS} conversations, cut anywhere, are answered in order and in full`, async () => {
  const random = seededRandom();
  const origin = await startEcho();
  const rig = await startGateway({ origin: origin.address });
  for (let i = 0; i < CONVERSATIONS; i++) {
    const requests = Array.from({ length: 1 + random.below(12) }, (_, index) => generateRequest(random, index));
    const seedText = `GUARD_TEST_SEED=${random.seed}, conversation ${i}`;
    const client = new RawClient(connect({ port: rig.port, host: '127.0.0.1', noDelay: true }));
    const expected = requests.map(({ answer }) => answer).join('');
    const answerTags = () => client.receivedText.match(/<[^>]*>/g)?.join('') ?? '';
    for (const { bytes } of requests) {
      // A request comes whole, in two pieces, or together with the next one: writes of one turn arrive together.
      const cutAt = random.below(3) === 0 ? random.below(bytes.length) : 0;
      if (cutAt > 0) {
        client.socket.write(bytes.slice(0, cutAt), 'latin1');
        await new Promise(setImmediate);
      }
      client.socket.write(bytes.slice(cutAt), 'latin1');
      if (random.below(2) === 0) await new Promise(setImmediate);
      if (random.below(4) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(8)));
    }
    await waitUntil(() => answerTags().length >= expected.length, () => `${seedText}: ${answerTags()} of ${expected}`);
    expect(answerTags(), seedText).toBe(expected);
    client.socket.destroy();
  }
  expect(rig.counterValue('guard_gateway_requests_total', 'refused')).toBe(0);
}); // prettier-ignore
