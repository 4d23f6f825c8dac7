import { createHash } from 'node:crypto';
import { request, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, visit } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import {
  bodyOf,
  waitUntil,
  get,
  headersOf,
  rawExchange,
  RawClient,
  statusOf,
  untilUnchanged,
} from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const MiB = 1024 * 1024;

describe('streaming', () => {
  test.each(FRONTS)(
    'over %s the header section and each event of an SSE stream arrive while the origin is still sending',
    async (front) => {
      let stream: ServerResponse | undefined;
      const origin = await startOrigin((_req, res) => {
        stream = res.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.flushHeaders();
      });
      const frontVisit = visit(front, await startGateway({ origin: origin.address, certificates }));
      const { headers } = await frontVisit.untilHead();
      expect(headers['content-type']).toBe('text/event-stream');
      for (const event of ['data: 1\n\n', 'data: 2\n\n', ': still here\n\n']) {
        stream?.write(event);
        await frontVisit.until(event);
      }
      expect(frontVisit.state).toBe('open');
      stream?.end('data: 3\n\n');
      expect((await frontVisit.untilEnd()).state).toBe('whole');
      expect(frontVisit.receivedText).toBe('data: 1\n\ndata: 2\n\n: still here\n\ndata: 3\n\n');
    },
  );

  test('an upload arrives complete, and no faster than the origin reads it', async () => {
    const hash = createHash('sha256');
    let takenBytes = 0;
    let open = () => {};
    const origin = await startOrigin((req, res) => {
      req.pause();
      open = () => req.resume();
      req.on('data', (part: Buffer) => {
        takenBytes += part.length;
        hash.update(part);
      });
      req.on('end', () => res.end('stored'));
    });
    const { port } = await startGateway({ origin: origin.address });
    const body = Buffer.alloc(64 * MiB, 'upload');
    const client = new RawClient(port);
    client.send('POST /upload HTTP/1.1', HOST, CLOSE, `Content-Length: ${body.length}`, '', '');
    client.socket.write(body);
    // The kernel and a few buffers accept some bytes. The other bytes wait in the client.
    await untilUnchanged(() => client.socket.writableLength);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    expect(takenBytes).toBe(0);
    open();
    expect(bodyOf(await client.untilClosed())).toContain('stored');
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
  });

  test('a download arrives complete, and the origin has to wait while the visitor reads nothing', async () => {
    let unsentBytes = 0;
    const body = Buffer.alloc(64 * MiB, 'download');
    const origin = await startOrigin((_req, res) => {
      res.setHeader('Content-Length', body.length);
      res.end(body);
      unsentBytes = res.writableLength;
      res.on('close', () => (unsentBytes = 0));
      setInterval(() => (unsentBytes = res.writableLength), 5).unref();
    });
    const { port } = await startGateway({ origin: origin.address });
    const download = await new Promise<{ unsentBytesBefore: number; bytes: number }>(
      (resolve, reject) => {
        request({ port, host: '127.0.0.1', headers: { host: 'shop.example' } }, (res) => {
          void (async () => {
            await untilUnchanged(() => unsentBytes);
            const unsentBytesBefore = unsentBytes;
            let bytes = 0;
            for await (const part of res as AsyncIterable<Buffer>) bytes += part.length;
            resolve({ unsentBytesBefore, bytes });
          })().catch(reject);
        }).end();
      },
    );
    expect(download.unsentBytesBefore).toBeGreaterThan(MiB);
    expect(download.bytes).toBe(body.length);
  });

  test('stalled uploads do not delay other visitors', async () => {
    const origin = await startOrigin((req, res) => {
      if (req.method === 'GET') res.end('hello');
    });
    const { port } = await startGateway({
      origin: origin.address,
      limits: { originUploads: 8, drainMs: 0 },
    });
    const slowClients = Array.from({ length: 8 }, () => new RawClient(port));
    for (const client of slowClients)
      client.send('POST / HTTP/1.1', HOST, 'Content-Length: 9', '', 'x');
    expect(statusOf(await get(port))).toBe(200);
    await expect
      .poll(() => rawExchange(port, 'POST / HTTP/1.1', HOST, CLOSE, 'Content-Length: 1', '', 'x'))
      .toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/);
  });

  test('the endless answers of one address use only a part of the slots of an origin', async () => {
    const origin = await startOrigin((req, res) => {
      if (req.url === '/events') res.write('data: 1');
      else res.end('hello');
    });
    const { port } = await startGateway({
      origin: origin.address,
      limits: { originRequestsPerAddress: 1, originRequestsUncounted: 1, drainMs: 0 },
      trustedProxies: ['127.0.0.1/32'],
    });
    const forwardedFor = (ip: string) => `X-Forwarded-For: ${ip}`;
    const streams = [new RawClient(port), new RawClient(port)];
    for (const client of streams) {
      client.send('GET /events HTTP/1.1', HOST, forwardedFor('198.51.100.7'), '', '');
      await client.until(/data/);
    }
    const status = async (ip: string) => statusOf(await get(port, '/', forwardedFor(ip)));
    expect([await status('198.51.100.7'), await status('198.51.100.8')]).toEqual([503, 200]);
    streams[0]?.socket.destroy();
    await expect.poll(() => status('198.51.100.7')).toBe(200);
    for (let count = 0; count < 3; count++) expect(await status('198.51.100.7')).toBe(200);
  });

  test('the stalled uploads of one address use only a part of the slots of an origin', async () => {
    const origin = await startOrigin((req, res) => {
      if (req.url === '/early') res.end('hello');
      else req.resume().once('end', () => res.end('hello'));
    });
    const { port } = await startGateway({
      origin: origin.address,
      limits: { originUploadsPerAddress: 2, drainMs: 0 },
      trustedProxies: ['127.0.0.1/32'],
    });
    const begin = (ip: string, length: number, path = '/') => {
      const client = new RawClient(port);
      const fields = [`X-Forwarded-For: ${ip}`, `Content-Length: ${length}`];
      client.send(`POST ${path} HTTP/1.1`, HOST, ...fields, '', 'x');
      return client;
    };
    const stalledUploads = [begin('198.51.100.7', 2), begin('198.51.100.7', 2)];
    await expect.poll(() => connectionsOf(origin.server)).toBe(2);
    const status = async (ip: string) => statusOf(await begin(ip, 1).until(/\r\n\r\n/));
    expect([await status('198.51.100.7'), await status('198.51.100.8')]).toEqual([503, 200]);
    stalledUploads[0]?.socket.write('x');
    await stalledUploads[0]?.until(/hello/);
    stalledUploads[1]?.socket.destroy();
    await expect.poll(() => status('198.51.100.7')).toBe(200);
    // An answered request does not count any more, even when its body never comes.
    for (let count = 0; count < 3; count++) {
      await begin('198.51.100.7', 2, '/early').until(/hello/);
      expect(await status('198.51.100.7')).toBe(200);
    }
  });
});

describe('visitors who leave or stall', () => {
  test('after an abort, pipelined requests that wait for their turn are not sent', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const { port } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    client.send('GET /1 HTTP/1.1', HOST, '', 'GET /2 HTTP/1.1', HOST, '', '');
    await waitUntil(() => origin.sockets.length === 1);
    client.socket.destroy();
    await waitUntil(() => origin.sockets[0]?.closed === true);
    new RawClient(port).send('GET /3 HTTP/1.1', HOST, '', '');
    await waitUntil(() => Boolean(origin.bytes[1]));
    expect(origin.bytes.map((bytes) => bytes.slice(0, 6))).toEqual(['GET /1', 'GET /3']);
  });

  test('after an abort during an upload the origin has an incomplete request', async () => {
    const origin = await startOrigin(() => undefined);
    const { port } = await startGateway({ origin: origin.address });
    let isAborted = false;
    origin.server.on('request', (req) => req.on('aborted', () => (isAborted = true)));
    const client = new RawClient(port);
    client.send('POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', '3', 'abc', '');
    await expect.poll(() => connectionsOf(origin.server)).toBe(1);
    client.socket.destroy();
    await waitUntil(() => isAborted);
    expect(origin.requests).toEqual([]);
  });

  test.each(FRONTS)('RFC 9110 15.5.9: over %s a stalled upload gets 408', async (front) => {
    const origin = await startOrigin(() => undefined);
    const limits = { uploadIdleMs: 50, lingerMs: 100 };
    const rig = await startGateway({ origin: origin.address, certificates, limits });
    const frontVisit = visit(front, rig, { method: 'POST', upload: true });
    frontVisit.stream.write('x');
    expect((await frontVisit.untilEnd()).status).toBe(408);
    expect(frontVisit.receivedText).toBe('The upload stalled.\n');
    expect(origin.requests).toEqual([]);
  });

  test.each(FRONTS)(
    'over %s a visitor who reads nothing loses the answer after the time limit, and the origin request is cancelled',
    async (front) => {
      const origin = await startOrigin((_req, res) => res.end(Buffer.alloc(16 * MiB)));
      const limits = { idleTimeoutMs: 300 };
      const rig = await startGateway({ origin: origin.address, certificates, limits });
      const frontVisit = visit(front, rig, { ignoreBody: true });
      expect((await frontVisit.untilHead()).status).toBe(200);
      await waitUntil(() => rig.counterValue('guard_gateway_requests_total', 'aborted') === 1);
      await expect.poll(() => connectionsOf(origin.server)).toBe(0);
      expect(rig.counterValue('guard_gateway_origin_errors_total', 'truncated')).toBe(0);
    },
  );

  test('the answer to an upload that the origin does not read reaches the visitor, and the connection stays open', async () => {
    const origin = await startTcpOrigin((socket, head) => {
      const answer = head.startsWith('POST') ? 'HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n' : OK;
      socket.write(answer);
    });
    const { port } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    client.send('POST / HTTP/1.1', HOST, 'Content-Length: 3000000', '', 'x');
    await client.until(/ 413 No/);
    client.socket.write(Buffer.alloc(2_999_999, 'x'));
    client.send('GET / HTTP/1.1', HOST, CLOSE, '', '');
    expect(await client.untilClosed()).toMatch(/ 200 OK/);
  });
});

describe('answers without a body', () => {
  test.each([
    { method: 'HEAD', answer: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', length: ['5'] },
    {
      method: 'GET',
      answer: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: "a"\r\n\r\n',
      length: ['5'],
    },
    { method: 'GET', answer: 'HTTP/1.1 204 No Content\r\n\r\n', length: [] },
    { method: 'GET', answer: 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', length: [] },
  ])(
    'RFC 9112 6.3: $method → $answer ends with its header section',
    async ({ method, answer, length }) => {
      const origin = await startTcpOrigin((socket) => socket.write(answer));
      const { port, counterValue } = await startGateway({ origin: origin.address });
      const received = await rawExchange(port, `${method} / HTTP/1.1`, HOST, CLOSE, '', '');
      expect(statusOf(received)).toBe(statusOf(answer));
      expect(headersOf(received, 'content-length')).toEqual(length);
      expect(headersOf(received, 'transfer-encoding')).toEqual([]);
      expect(bodyOf(received)).toBe('');
      expect(counterValue('guard_gateway_requests_total', 'forwarded')).toBe(1);
    },
  );
});

function connectionsOf(server: {
  getConnections(cb: (error: Error | null, count: number) => void): unknown;
}): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_error, count) => {
      resolve(count);
    });
  });
}
