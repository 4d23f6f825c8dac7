import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { bothServers, KEY } from '../testing/both-servers.ts';
import { serve } from '../testing/rpc-server.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const rpcWithId7 = (fields: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, ...fields });

/** Invalid bodies: a name, the body, and the code and id of the answer (contract 7.3, 7.4). */
const MALFORMED_BODIES: readonly (readonly [
  name: string,
  body: string | Uint8Array,
  code: number,
  id: string | number | null,
])[] = [
  ['an empty body', '', -32700, null],
  ['plain text', 'hello', -32700, null],
  ['JSON that is cut off', '{"jsonrpc":"2.0","id":1', -32700, null],
  ['a second value after the first', '{}{}', -32700, null],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), -32700, null],
  ['null', 'null', -32600, null],
  ['a number', '1', -32600, null],
  ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, -32600, null],
  ['an empty object', '{}', -32600, null],
  ['no jsonrpc', '{"id":7,"method":"tools/list"}', -32600, 7],
  ['jsonrpc 1.0', rpcWithId7({ jsonrpc: '1.0', method: 'tools/list' }), -32600, 7],
  ['jsonrpc as a number', rpcWithId7({ jsonrpc: 2, method: 'a' }), -32600, 7],
  ['no method', '{"jsonrpc":"2.0","id":"x"}', -32600, 'x'],
  ['a number as method', rpcWithId7({ method: 1 }), -32600, 7],
  ['a response', rpcWithId7({ result: {} }), -32600, 7],
  ['a string as params', rpcWithId7({ method: 'a', params: 'b' }), -32600, 7],
  ['the name of a property that every object has', rpcWithId7({ method: '__proto__' }), -32601, 7],
  ['a notification with an id', rpcWithId7({ method: 'notifications/initialized' }), -32601, 7],
  ['initialize without params', rpcWithId7({ method: 'initialize' }), -32602, 7],
  ['a call without params', rpcWithId7({ method: 'tools/call' }), -32602, 7],
  ['a call without a name', rpcWithId7({ method: 'tools/call', params: {} }), -32602, 7],
  ['an unknown tool', rpcWithId7({ method: 'tools/call', params: { name: 'drop' } }), -32602, 7],
  [
    'a number as name of a tool',
    rpcWithId7({ method: 'tools/call', params: { name: 1 } }),
    -32602,
    7,
  ],
  [
    'odd `_meta` and `task`',
    rpcWithId7({ method: 'tasks/get', params: { _meta: 5, task: {} } }),
    -32601,
    7,
  ],
  ['a list as params', rpcWithId7({ method: 'tools/call', params: ['query'] }), -32602, 7],
];

describe.each(bothServers)('the %s server', (_name, plugin, maxBodyBytes) => {
  const post = async (body: unknown, headers: Record<string, string> = KEY) =>
    (await serve(plugin)).post(body, headers);

  test.each(MALFORMED_BODIES)('contract 7.3, 7.4: %s', async (_what, body, code, id) => {
    const answer = await post(body);
    const error = { code, message: expect.any(String) as string };
    expect([answer.status, answer.json]).toEqual([200, { jsonrpc: '2.0', id, error }]);
  });

  test('contract 6: a request without id gets 202 with an empty body, even if its method is unknown', async () => {
    const server = await serve(plugin);
    for (const method of ['notifications/initialized', 'tools/call', 'nonsense']) {
      const answer = await server.post({ jsonrpc: '2.0', method }, KEY);
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  test('contract 7.3, 7.4: any method except POST gets 405 with Allow: POST', async () => {
    const server = await serve(plugin);
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${server.url}/mcp`, { method, headers: KEY });
      const answer = [response.status, response.headers.get('allow'), await response.text()];
      expect([method, ...answer]).toEqual([method, 405, 'POST', '']);
    }
  });

  test.each(['text/event-stream', 'text/html', 'image/png;q=0', ''])(
    'any Accept header is accepted: "%s"',
    async (accept) => {
      const answer = await post(LIST, { ...KEY, accept });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  test('a body is parsed as JSON with any Content-Type', async () => {
    const answer = await post(LIST, { ...KEY, 'content-type': 'text/plain' });
    expect(answer.json).toMatchObject({ result: { tools: expect.any(Array) as unknown[] } });
  });

  test(`contract 8: a body of ${maxBodyBytes} bytes is accepted, and one byte more gets 413`, async () => {
    const server = await serve(plugin);
    const largestBody = JSON.stringify(LIST).padEnd(maxBodyBytes);
    expect((await server.post(largestBody, KEY)).status).toBe(200);
    const answer = await server.post(`${largestBody} `, KEY);
    expect([answer.status, answer.text]).toEqual([413, '']);
  });

  test('contract 8: the limit also holds for a chunked body without a length', async () => {
    const server = await serve(plugin);
    expect(await postChunked(server.url, maxBodyBytes + 1)).toBe(413);
  });
});

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
