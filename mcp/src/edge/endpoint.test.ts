import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { malformedBodies } from '../testing/malformed-bodies.ts';
import { bothServers, KEY } from '../testing/both-servers.ts';
import { serve } from '../testing/rpc-server.ts';

describe.each(bothServers)('the %s server', (_name, plugin, maxBodyBytes) => {
  test.each(malformedBodies)(
    'contract 7.3, 7.4: $what is answered with $code',
    async ({ body, code, id }) => {
      const server = await serve(plugin);
      const answer = await server.post(body, KEY);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({
        jsonrpc: '2.0',
        id,
        error: { code, message: expect.any(String) as string },
      });
    },
  );

  test('contract 6: a request without id gets 202 with an empty body, also when its method is unknown', async () => {
    const server = await serve(plugin);
    for (const method of ['notifications/initialized', 'tools/call', 'nonsense']) {
      const answer = await server.post({ jsonrpc: '2.0', method }, KEY);
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  test('contract 7.3, 7.4: 405 for any method except POST, naming POST', async () => {
    const server = await serve(plugin);
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
      const server = await serve(plugin);
      const answer = await server.post(
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { ...KEY, accept },
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  test('a body is parsed as JSON with any Content-Type', async () => {
    const server = await serve(plugin);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const answer = await server.post(body, { ...KEY, 'content-type': 'text/plain' });
    expect(answer.json).toMatchObject({ result: { tools: expect.any(Array) as unknown[] } });
  });

  test(`contract 8: a body of ${maxBodyBytes} bytes is read, and one byte more is 413`, async () => {
    const server = await serve(plugin);
    const fitting = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'.padEnd(maxBodyBytes);
    expect((await server.post(fitting, KEY)).status).toBe(200);
    const answer = await server.post(`${fitting} `, KEY);
    expect([answer.status, answer.text]).toEqual([413, '']);
  });

  test('contract 8: a chunked body without a length is stopped at the limit too', async () => {
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
