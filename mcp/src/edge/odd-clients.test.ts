import { describe, expect, test } from 'vitest';
import { createDocsServer } from '../index.ts';
import { bothServers, KEY } from '../testing/both-servers.ts';
import { call, serve } from '../testing/rpc-server.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const TEN_THOUSAND = 'x'.repeat(10_000);

describe.each(bothServers)('the %s server', (_name, plugin, _maxBodyBytes, tools) => {
  const post = async (body: unknown, headers: Record<string, string> = KEY) =>
    (await serve(plugin)).post(body, headers);
  const notRequest = [200, { id: null, error: { code: -32600 } }];

  test('contract 4.4, 4.5: tools/list shows exactly these tools, each read-only, with a title and a schema', async () => {
    const { json } = await post(LIST);
    const { result } = json as { result: { tools: { name: string; title: string }[] } };
    expect(Object.keys(result)).toEqual(['tools']);
    expect(result.tools.map(({ name }) => name)).toEqual(tools);
    for (const tool of result.tools) {
      expect(tool).toMatchObject({
        title: expect.stringMatching(/\w/) as string,
        description: expect.stringMatching(/\w/) as string,
        inputSchema: { type: 'object', properties: expect.any(Object) as object },
        annotations: { readOnlyHint: true, openWorldHint: false },
      });
    }
  });

  test.each([
    'resources/list',
    'prompts/list',
    'completion/complete',
    'logging/setLevel',
    'server/discover',
    'tools/List',
    'tools/call ',
    'rpc.discover',
    '',
    'constructor',
    TEN_THOUSAND,
  ])('contract 7.3, 7.4: the method "%.20s" is -32601', async (method) => {
    const answer = await post({ ...LIST, method });
    expect([answer.status, answer.json]).toMatchObject([200, { id: 1, error: { code: -32601 } }]);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '', 7, null, undefined])(
    'contract 9: a client that asks for revision %j gets 2025-06-18',
    async (protocolVersion) => {
      const params = {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'odd', version: '0' },
      };
      const headers = { ...KEY, 'mcp-protocol-version': '2026-07-28' };
      const answer = await post({ ...LIST, method: 'initialize', params }, headers);
      expect(answer.json).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
    },
  );

  test('revision 2025-06-18, transports: after initialize, a header with another revision gets 400, and the text names the right revision', async () => {
    for (const version of ['2025-03-26', '2025-11-25', 'latest', '', '2025-06-18, 2025-06-18']) {
      for (const message of [LIST, { jsonrpc: '2.0', method: 'notifications/initialized' }]) {
        const answer = await post(message, { ...KEY, 'mcp-protocol-version': version });
        expect([version, answer.status]).toEqual([version, 400]);
        expect(answer.text).toContain('2025-06-18');
      }
    }
    const knownRevision = await post(LIST, { ...KEY, 'Mcp-Protocol-Version': '2025-06-18' });
    expect(knownRevision.status).toBe(200);
  });

  test.each([
    [[LIST]],
    [[LIST, LIST]],
    [[{ jsonrpc: '2.0', method: 'x' }]],
    [[]],
    [[1, 'a', null]],
  ])('revision 2025-06-18 has no batches: %j gets one error -32600', async (batch) => {
    const answer = await post(batch);
    expect([answer.status, answer.json]).toMatchObject(notRequest);
  });

  test.each([0, -1, 9007199254740991, '', '1', TEN_THOUSAND, 'é💥\u0000', '__proto__'])(
    'an id is returned unchanged: %j',
    async (id) => {
      const answer = await post({ ...LIST, id });
      expect(answer.json).toMatchObject({ id, result: {} });
    },
  );

  test.each(['null', '1.5', '1e400', '-1e30', '9007199254740993', 'true', '[1]', '{"a":1}'])(
    'revision 2025-06-18: an id is a string or an integer; %s is -32600 with the id null',
    async (id) => {
      const answer = await post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
      expect([answer.status, answer.json]).toMatchObject(notRequest);
    },
  );

  test.each([
    [
      'params',
      (nestedText: string) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${nestedText}}`,
    ],
    [
      'arguments',
      (nestedText: string) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tools[0] ?? ''}","arguments":{"a":${nestedText}}}}`,
    ],
  ])('lists nested 7,000 times in %s get an answer', async (_where, body) => {
    const answer = await post(body(`${'['.repeat(7_000)}${']'.repeat(7_000)}`));
    expect([answer.status, answer.json]).toMatchObject([200, { id: 1, result: {} }]);
  });

  test('of two fields with the same name the last one is used, as in JSON.parse', async () => {
    const answer = await post(
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"nonsense","method":"tools/list"}',
    );
    expect(answer.json).toMatchObject({ id: 2, result: {} });
  });

  test('unknown fields, cursors and progress tokens are ignored', async () => {
    const plain = await post(LIST);
    const messageWithMore = {
      ...LIST,
      extra: 1,
      params: { cursor: 'x', _meta: { progressToken: 1 } },
    };
    expect((await post(messageWithMore)).text).toBe(plain.text);
  });

  test('contract 4.4: the servers neither issue nor need a session id', async () => {
    const answer = await post(call(tools.at(-1) ?? ''), { ...KEY, 'mcp-session-id': 'x' });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('mcp-session-id')).toBe(false);
  });

  test.each(['text/html;', ';;;', 'application/json, text/html', 'x'])(
    'a request with Content-Type "%s" gets 200 or 415',
    async (contentType) => {
      const answer = await post(LIST, { ...KEY, 'content-type': contentType });
      expect([200, 415]).toContain(answer.status);
    },
  );

  test.each([
    ['http://localhost', 200],
    ['http://127.0.0.1:6274', 200],
    ['https://[::1]:8443', 200],
    ['vscode-file://vscode-app', 200],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['null', 403],
    ['evil', 403],
  ])(
    'revision 2025-06-18, transports: a request with Origin %s gets %d',
    async (origin, status) => {
      expect((await post(LIST, { ...KEY, origin })).status).toBe(status);
    },
  );

  test('no answer has CORS headers', async () => {
    for (const origin of ['http://localhost', 'https://evil.example']) {
      const { headers } = await post(LIST, { ...KEY, origin });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

test('a page of the documentation host may use the documentation server', async () => {
  const server = await serve(createDocsServer({ publicUrl: 'https://docs.example' }));
  expect((await server.post(LIST, { origin: 'https://docs.example' })).status).toBe(200);
  expect((await server.post(LIST, { origin: 'https://docs.example:8443' })).status).toBe(403);
});
