import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { QueryOutcome, RunQuery } from '@guard/config/contract/ports';
import { until } from '../testing/until.ts';
import { createQueryRoute } from './route.ts';

const OK: QueryOutcome = {
  kind: 'rows',
  contentType: 'text/tab-separated-values; charset=UTF-8',
  body: Buffer.from('1\n'),
};

const queries: Parameters<RunQuery>[0][] = [];
let answer: () => Promise<QueryOutcome>;
let port = 0;
const app = Fastify();

beforeAll(async () => {
  await app.register(
    createQueryRoute({
      path: '/query',
      identify: ({ headers: { authorization } }) =>
        authorization === 'Bearer good' ? { organisation: 'acme', authorization } : undefined,
      runQuery: (query) => {
        queries.push(query);
        return answer();
      },
    }),
  );
  app.post('/mcp', (request) => ({ type: typeof request.body }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());
beforeEach(() => {
  queries.length = 0;
  answer = () => Promise.resolve(OK);
});

/** Sends raw bytes, and reads until the server closes the connection. */
async function exchange(head: string, body: Buffer | string = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}\r\nHost: api\r\nConnection: close\r\n\r\n`);
  socket.write(body);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(socket, 'close');
  return text;
}

function post(body: Buffer | string, ...furtherLines: string[]): Promise<string> {
  const head = [
    'POST /query HTTP/1.1',
    'Authorization: Bearer good',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...furtherLines,
  ];
  return exchange(head.join('\r\n'), body);
}

const status = (text: string): number => Number(text.slice(9, 12));
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

describe('POST /query (contract 4.3, 5, 7.2)', () => {
  test('200: the statement and the bytes of the answer are passed on unchanged', async () => {
    const text = await post(' SELECT 1 ');
    expect(status(text)).toBe(200);
    expect(bodyOf(text)).toBe('2\r\n1\n\r\n0\r\n\r\n');
    expect(queries).toMatchObject([{ organisation: 'acme', sql: ' SELECT 1 ' }]);
  });

  test.each([
    'Content-Type: text/plain; charset=utf-8',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Type: application/json',
    'X-No-Content-Type: 1',
  ])('the body is the statement with any Content-Type: %s', async (header) => {
    expect(status(await post('SELECT 1', header))).toBe(200);
    expect(queries.map(({ sql }) => sql)).toEqual(['SELECT 1']);
  });

  test.each([
    ['absent', 'X-Other: 1'],
    ['malformed', 'Authorization: good'],
    ['unknown', 'Authorization: Bearer bad'],
  ])('401 with an empty body, before any other check, for this key: %s', async (_why, header) => {
    for (const method of ['POST', 'GET', 'PUT', 'OPTIONS']) {
      const text = await exchange(`${method} /query HTTP/1.1\r\n${header}\r\nContent-Length: 0`);
      expect(status(text)).toBe(401);
      expect(bodyOf(text)).toBe('');
    }
    expect(queries).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    '405 with the field Allow, because %s is not POST',
    async (method) => {
      const text = await exchange(
        `${method} /query?query=SELECT+1 HTTP/1.1\r\nAuthorization: Bearer good\r\nContent-Length: 0`,
      );
      expect(status(text)).toBe(405);
      expect(text).toMatch(/^allow: POST\r$/im);
    },
  );

  test.each([
    ['empty', ''],
    ['only white space', ' \r\n\t'],
    ['not UTF-8', Buffer.from([0x53, 0xff, 0xfe])],
    ['over-size', 'x'.repeat(65_537)],
  ])('400: a body that is %s', async (_why, body) => {
    const text = await post(body);
    expect(status(text)).toBe(400);
    expect(text).toMatch(/^content-type: text\/plain; charset=utf-8\r$/im);
    expect(queries).toEqual([]);
  });

  test.each([
    ['gzip', gzipSync('SELECT 1')],
    ['deflate', deflateSync('SELECT 1')],
    ['br', brotliCompressSync('SELECT 1')],
  ])('400: a body in %s is not decoded', async (coding, body) => {
    expect(status(await post(body, `Content-Encoding: ${coding}`))).toBe(400);
    expect(queries).toEqual([]);
  });

  test('the query string is ignored, also the parameters of the database', async () => {
    const head =
      'POST /query?query=SELECT+2&user=writer&default_format=JSON&max_threads=1 HTTP/1.1';
    const headers = 'Authorization: Bearer good\r\nContent-Length: 8';
    expect(status(await exchange(`${head}\r\n${headers}`, 'SELECT 1'))).toBe(200);
    expect(queries).toMatchObject([{ organisation: 'acme', sql: 'SELECT 1' }]);
  });

  test('400: a Content-Type that is not a media type', async () => {
    expect(status(await post('SELECT 1', 'Content-Type: nonsense'))).toBe(400);
  });

  test('a statement of 65,536 characters is accepted (contract 8)', async () => {
    expect(status(await post('SELECT 1'.padEnd(65_536)))).toBe(200);
  });

  test('an unknown Expect header gets 417', async () => {
    expect(status(await post('SELECT 1', 'Expect: a-miracle'))).toBe(417);
  });

  test.each([
    [{ kind: 'revoked' }, 401, ''],
    [{ kind: 'refused', message: 'Only SELECT.' }, 400, 'Only SELECT.\n'],
    [{ kind: 'database_error', status: 404, message: 'Code: 60. x' }, 404, 'Code: 60. x\n'],
    [{ kind: 'database_error', status: 503, message: 'Code: 202. x' }, 503, 'Code: 202. x\n'],
    [{ kind: 'unavailable', message: 'It is starting.' }, 502, 'It is starting.\n'],
  ] as const)('the outcome %o leads to status %i', async (outcome, expected, body) => {
    answer = () => Promise.resolve(outcome);
    const text = await post('SELECT 1');
    expect(status(text)).toBe(expected);
    expect(bodyOf(text)).toBe(body);
  });

  test('an answer above 4 MiB gets 502', async () => {
    answer = () => Promise.resolve({ kind: 'too_large' });
    expect(status(await post('SELECT 1'))).toBe(502);
  });

  test('contract 4.3: the answer is a stream without compression', async () => {
    const text = await post('SELECT 1', 'Accept-Encoding: gzip, br');
    expect(text).toMatch(/^transfer-encoding: chunked\r$/im);
    expect(text).not.toMatch(/^content-(length|encoding):/im);
    const bytes = Buffer.alloc(300_000, 'ab\n');
    answer = () => Promise.resolve({ ...OK, body: bytes });
    const response = await fetch(`http://127.0.0.1:${port}/query`, {
      method: 'POST',
      headers: { authorization: 'Bearer good' },
      body: 'SELECT 1',
    });
    expect(bytes.equals(await response.bytes())).toBe(true);
  });

  test('rows are delivered only when the caller has read them or has disconnected', async () => {
    answer = () => Promise.resolve({ ...OK, body: Buffer.alloc(64 * 1024 * 1024) });
    for (const end of ['takes', 'goes'] as const) {
      queries.length = 0;
      const socket = connect(port, '127.0.0.1');
      const head = 'POST /query HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer good';
      socket.write(`${head}\r\nContent-Length: 8\r\n\r\nSELECT 1`);
      await once(socket, 'readable');
      let isDelivered = false;
      void queries[0]?.delivered?.then(() => (isDelivered = true));
      await fetch(`http://127.0.0.1:${port}/elsewhere`);
      expect(isDelivered).toBe(false);
      if (end === 'takes') socket.resume();
      else socket.destroy();
      await until('the answer is delivered', () => isDelivered);
      socket.destroy();
    }
  });

  test('a waiting query keeps its connection longer than the timeout of an idle connection', async () => {
    const { promise, resolve } = Promise.withResolvers<QueryOutcome>();
    answer = () => promise;
    app.server.timeout = 100;
    const text = post('SELECT 1');
    await until('the query waits', () => queries[0]);
    await once(connect(port, '127.0.0.1').resume(), 'close');
    app.server.timeout = 0;
    resolve(OK);
    expect(status(await text)).toBe(200);
  });

  test('a caller that disconnects cancels its query', async () => {
    answer = () => new Promise(() => undefined);
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /query HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer good\r\nContent-Length: 8\r\n\r\nSELECT 1',
    );
    const query = await until('the query runs', () => queries[0]);
    expect(query.signal?.aborted).toBe(false);
    socket.destroy();
    await until('the query is cancelled', () => query.signal?.aborted);
  });

  test('other routes of the same server keep their own parsers, hooks and answers', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await response.json()).toEqual({ type: 'object' });
    expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(404);
  });
});
