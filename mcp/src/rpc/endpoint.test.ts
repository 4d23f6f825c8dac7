import { request as httpRequest } from 'node:http';
import { MCP } from '@guard/config/contract/limits';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import type { SeededRandom } from '../../../test/kit/seeded-random.ts';
import type { FastifyPluginAsync } from 'fastify';
import { describe, expect, test } from 'vitest';
import { createDataServer, createDocsServer } from '../index.ts';
import { malformedBodies } from './malformed-bodies.ts';
import { serve } from './test-server.ts';

const KEY = { authorization: 'Bearer sk_api_ro_test' };

const data = () =>
  createDataServer({
    runQuery: () => Promise.resolve({ kind: 'unavailable', message: 'no database here' }),
    listColumns: () => Promise.resolve([]),
    authenticate: (authorization) =>
      authorization === KEY.authorization ? { organisation: 'acme', key: 'board' } : undefined,
  });
const docs = () => createDocsServer({ publicUrl: 'https://docs.example' });

const servers: readonly [string, () => FastifyPluginAsync, number][] = [
  ['data', data, MCP.dataMaxBodyBytes],
  ['documentation', docs, MCP.docsMaxBodyBytes],
];

describe.each(servers)('the %s server', (_name, create, maxBodyBytes) => {
  test.each(malformedBodies)(
    'spec 7.3, 7.4: $what is answered with $code',
    async ({ body, code, id }) => {
      const server = await serve(create());
      const answer = await server.post(body, KEY);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({
        jsonrpc: '2.0',
        id,
        error: { code, message: expect.any(String) as string },
      });
    },
  );

  test('spec 4.4, 9: initialize answers revision 2025-06-18, whatever the client offers', async () => {
    const server = await serve(create());
    const answer = await server.post(
      { jsonrpc: '2.0', id: 'a', method: 'initialize', params: { protocolVersion: '2099-01-01' } },
      KEY,
    );
    expect(answer.json).toMatchObject({
      id: 'a',
      result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: false } } },
    });
  });

  test('spec 6: a request without id gets 202 with an empty body, also when its method is unknown', async () => {
    const server = await serve(create());
    for (const method of ['notifications/initialized', 'tools/call', 'nonsense']) {
      const answer = await server.post({ jsonrpc: '2.0', method }, KEY);
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  test('spec 7.3, 7.4: 405 for any method except POST, naming POST', async () => {
    const server = await serve(create());
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${server.url}/mcp`, { method, headers: KEY });
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        405,
        'POST',
      ]);
      expect(await response.text()).toBe('');
    }
  });

  test.each(['text/event-stream', 'text/html', 'image/png;q=0', ''])(
    'an Accept header refuses nothing: "%s"',
    async (accept) => {
      const server = await serve(create());
      const answer = await server.post(
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { ...KEY, accept },
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  test('a Content-Type other than JSON is understood all the same', async () => {
    const server = await serve(create());
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const answer = await server.post(body, { ...KEY, 'content-type': 'text/plain' });
    expect(answer.json).toMatchObject({ result: { tools: expect.any(Array) as unknown[] } });
  });

  test(`spec 8: a body of ${maxBodyBytes} bytes is read, and one byte more is 413`, async () => {
    const server = await serve(create());
    const fitting = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'.padEnd(maxBodyBytes);
    expect((await server.post(fitting, KEY)).status).toBe(200);
    const answer = await server.post(`${fitting} `, KEY);
    expect([answer.status, answer.text]).toEqual([413, '']);
  });

  test('spec 8: a chunked body without a length is stopped at the limit too', async () => {
    const server = await serve(create());
    expect(await postChunked(server.url, maxBodyBytes + 1)).toBe(413);
  });

  test('1,000 broken bodies from a seed: never a 5xx, always one JSON-RPC answer or 202', async () => {
    const random = seededRandom();
    console.log(`seed ${random.seed}`);
    const server = await serve(create());
    for (let round = 0; round < 1000; round += 1) {
      const body = breakBody(random);
      const answer = await server.post(body, KEY);
      const context = `seed ${random.seed}, round ${round}`;
      if (answer.status === 202) expect(answer.text, context).toBe('');
      else {
        expect(answer.status, context).toBe(200);
        expect(answer.json, context).toMatchObject({ jsonrpc: '2.0' });
      }
    }
  });
});

/** A plausible message with values swapped for odd ones, and sometimes with bytes changed. */
function breakBody(random: SeededRandom): Buffer {
  const below = (limit: number) => random.below(limit);
  const pick = <T>(list: readonly [T, ...T[]]) => random.pick(list);
  const odd = () =>
    pick([
      null,
      true,
      0,
      -1.5,
      1e308,
      '',
      'x',
      '2.0',
      [],
      {},
      [[]],
      { name: 'query' },
      '\u0000',
      '💥',
    ] as [unknown, ...unknown[]]);
  const method = pick(['initialize', 'ping', 'tools/list', 'tools/call', 'nonsense']);
  const name = pick(['query', 'query_help', 'list_columns', 'search_docs', 'get_page', 'x']);
  const argument = pick(['sql', 'query', 'path', 'limit']);
  const message: Record<string, unknown> = {
    jsonrpc: '2.0',
    id: below(100),
    method,
    params: { name, arguments: { [argument]: odd(), query: odd() } },
  };
  for (const field of Object.keys(message)) {
    if (below(6) === 0) message[field] = odd();
    else if (below(12) === 0) Reflect.deleteProperty(message, field);
  }
  const bytes = Buffer.from(JSON.stringify(message));
  for (let flips = below(3) === 0 ? below(4) : 0; flips > 0; flips -= 1) {
    bytes[below(bytes.length)] = below(256);
  }
  return below(10) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
}

function postChunked(url: string, bytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/mcp`, { method: 'POST', headers: KEY }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.write(' '.repeat(bytes - 1));
    request.end(' ');
  });
}
