import { describe, expect, test } from 'vitest';
import { createDocsServer } from '../index.ts';
import { bothServers, KEY } from '../testing/both-servers.ts';
import { call, serve } from '../testing/rpc-server.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const TEN_THOUSAND = 'x'.repeat(10_000);

describe.each(bothServers)('the %s server', (_name, plugin, _maxBodyBytes, tools) => {
  test('contract 4.4, 4.5: tools/list shows exactly these tools, each only reading, each with a title and a schema', async () => {
    const server = await serve(plugin);
    const { json } = await server.post(LIST, KEY);
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
    const server = await serve(plugin);
    const answer = await server.post({ ...LIST, method }, KEY);
    expect([answer.status, answer.json]).toMatchObject([200, { id: 1, error: { code: -32601 } }]);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '', 7, null, undefined])(
    'contract 9: a client that asks for revision %j is told 2025-06-18',
    async (protocolVersion) => {
      const server = await serve(plugin);
      const params = {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'odd', version: '0' },
      };
      const headers = { ...KEY, 'mcp-protocol-version': '2026-07-28' };
      const answer = await server.post({ ...LIST, method: 'initialize', params }, headers);
      expect(answer.json).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
    },
  );

  test('revision 2025-06-18, transports: behind initialize, a header that names another revision is 400, and says which one', async () => {
    const server = await serve(plugin);
    for (const version of ['2025-03-26', '2025-11-25', 'latest', '', '2025-06-18, 2025-06-18']) {
      for (const message of [LIST, { jsonrpc: '2.0', method: 'notifications/initialized' }]) {
        const answer = await server.post(message, { ...KEY, 'mcp-protocol-version': version });
        expect([version, answer.status]).toEqual([version, 400]);
        expect(answer.text).toContain('2025-06-18');
      }
    }
    const right = await server.post(LIST, { ...KEY, 'Mcp-Protocol-Version': '2025-06-18' });
    expect(right.status).toBe(200);
  });

  test.each([
    [[LIST]],
    [[LIST, LIST]],
    [[{ jsonrpc: '2.0', method: 'x' }]],
    [[]],
    [[1, 'a', null]],
  ])('revision 2025-06-18 has no batches: %j is one -32600', async (batch) => {
    const server = await serve(plugin);
    const answer = await server.post(batch, KEY);
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { id: null, error: { code: -32600 } },
    ]);
  });

  test.each([0, -1, 9007199254740991, '', '1', TEN_THOUSAND, 'é💥\u0000', '__proto__'])(
    'an id comes back as it was sent: %j',
    async (id) => {
      const server = await serve(plugin);
      const answer = await server.post({ ...LIST, id }, KEY);
      expect(answer.json).toMatchObject({ id, result: {} });
    },
  );

  test.each(['null', '1.5', '1e400', '-1e30', '9007199254740993', 'true', '[1]', '{"a":1}'])(
    'revision 2025-06-18: an id is a string or an integer; %s is -32600 with the id null',
    async (id) => {
      const server = await serve(plugin);
      const answer = await server.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`, KEY);
      expect([answer.status, answer.json]).toMatchObject([
        200,
        { id: null, error: { code: -32600 } },
      ]);
    },
  );

  test.each([
    ['params', (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`],
    [
      'arguments',
      (deep: string) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tools[0] ?? ''}","arguments":{"a":${deep}}}}`,
    ],
  ])('lists 7,000 deep in %s are an answer and no crash', async (_where, body) => {
    const server = await serve(plugin);
    const answer = await server.post(body(`${'['.repeat(7_000)}${']'.repeat(7_000)}`), KEY);
    expect([answer.status, answer.json]).toMatchObject([200, { id: 1, result: {} }]);
  });

  test('of a field that is there twice the last one counts, as everywhere in JavaScript', async () => {
    const server = await serve(plugin);
    const answer = await server.post(
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"nonsense","method":"tools/list"}',
      KEY,
    );
    expect(answer.json).toMatchObject({ id: 2, result: {} });
  });

  test('unknown fields, cursors and progress tokens change nothing', async () => {
    const server = await serve(plugin);
    const plain = await server.post(LIST, KEY);
    const more = { ...LIST, extra: 1, params: { cursor: 'x', _meta: { progressToken: 1 } } };
    expect((await server.post(more, KEY)).text).toBe(plain.text);
  });

  test('contract 4.4: stateless: a session id is neither given nor asked for', async () => {
    const server = await serve(plugin);
    const answer = await server.post(call(tools.at(-1) ?? ''), { ...KEY, 'mcp-session-id': 'x' });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('mcp-session-id')).toBe(false);
  });

  test.each(['text/html;', ';;;', 'application/json, text/html', 'x'])(
    'a Content-Type of "%s" is understood or 415, and never looked at twice',
    async (contentType) => {
      const server = await serve(plugin);
      const answer = await server.post(LIST, { ...KEY, 'content-type': contentType });
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
    'revision 2025-06-18, transports: the Origin %s, of a web page or of none, is answered %d',
    async (origin, status) => {
      const server = await serve(plugin);
      expect((await server.post(LIST, { ...KEY, origin })).status).toBe(status);
    },
  );

  test('no answer has CORS headers', async () => {
    const server = await serve(plugin);
    for (const origin of ['http://localhost', 'https://evil.example']) {
      const { headers } = await server.post(LIST, { ...KEY, origin });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

test('a page of the documentation host itself may ask the documentation server', async () => {
  const server = await serve(createDocsServer({ publicUrl: 'https://docs.example' }));
  expect((await server.post(LIST, { origin: 'https://docs.example' })).status).toBe(200);
  expect((await server.post(LIST, { origin: 'https://docs.example:8443' })).status).toBe(403);
});
