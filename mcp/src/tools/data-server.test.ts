import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { MCP } from '@guard/config/contract/limits';
import { FINDINGS, reasons } from '@guard/config/contract/reasons';
import type { QueryOutcome } from '@guard/config/contract/ports';
import type { FastifyPluginAsync } from 'fastify';
import { expect, test } from 'vitest';
import { createDataServer } from '../index.ts';
import { call, type RpcAnswer, serve, toolResult } from '../testing/rpc-server.ts';
import { createQueryTool } from './query-tool.ts';

const KEY_HEADERS = { authorization: 'Bearer sk_api_ro_acme' };
const rows = (text: string): QueryOutcome => ({
  kind: 'rows',
  contentType: 'text/tab-separated-values',
  body: Buffer.from(text),
});

function dataServer(
  options: Partial<Parameters<typeof createDataServer>[0]> = {},
): FastifyPluginAsync {
  return createDataServer({
    runQuery: () => Promise.resolve(rows('1\n')),
    listColumns: () => Promise.resolve([]),
    authenticate: (authorization) =>
      authorization === KEY_HEADERS.authorization
        ? { organisation: 'acme', key: 'board' }
        : undefined,
    ...options,
  });
}

const post = async (body: object, options?: Parameters<typeof dataServer>[0]) =>
  (await serve(dataServer(options))).post(body, KEY_HEADERS);

test('contract 5: without a known key, every request gets 401 with an empty body, even if the request has other errors', async () => {
  const server = await serve(dataServer());
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
  for (const headers of [
    {},
    { authorization: 'Bearer other' },
    { authorization: 'sk_api_ro_acme' },
    { origin: 'https://evil.example', 'mcp-protocol-version': 'x' },
  ]) {
    for (const body of [
      initialize,
      'not json',
      { jsonrpc: '2.0', method: 'x' },
      'x'.repeat(70_000),
    ]) {
      const answer = await server.post(body, headers);
      expect([answer.status, answer.text]).toEqual([401, '']);
    }
    const get = await fetch(`${server.url}/mcp`, { headers });
    expect([get.status, await get.text()]).toEqual([401, '']);
  }
});

test('a waiting query keeps its connection longer than the timeout of an idle connection', async () => {
  const queryStarted = Promise.withResolvers<undefined>();
  const pendingOutcome = Promise.withResolvers<QueryOutcome>();
  const runQuery = () => {
    queryStarted.resolve(undefined);
    return pendingOutcome.promise;
  };
  const server = await serve(dataServer({ runQuery }), (app) => {
    app.server.timeout = 100;
    return Promise.resolve();
  });
  const answer = server.post(QUERY, KEY_HEADERS);
  await queryStarted.promise;
  await once(connect(Number(new URL(server.url).port), '127.0.0.1').resume(), 'close');
  pendingOutcome.resolve(rows('1\n'));
  expect((await answer).status).toBe(200);
});

test('contract 4.4: the server is guard-analytics, version 1', async () => {
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  expect(answer.json).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'guard-analytics', version: '1' },
      instructions: expect.any(String) as string,
    },
  });
  const { instructions } = (answer.json as { result: { instructions: string } }).result;
  for (const word of ['created_at', 'action', 'decision', 'query_help', 'guard-docs']) {
    expect(instructions).toContain(word);
  }
});

test('contract 7.3: the data server does not know ping', async () => {
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(answer.json).toMatchObject({ error: { code: -32601 } });
});

test('contract 4.4: tools/list shows that query needs `sql`', async () => {
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(answer.json).toMatchObject({
    result: { tools: [{ inputSchema: { required: ['sql'] } }, {}, {}] },
  });
});

const QUERY = call('query', { sql: 'SELECT 1' });

/** Calls the tool `query` for a query with this outcome, and returns the answer. */
function answerOf(outcome: QueryOutcome): Promise<RpcAnswer> {
  return post(QUERY, { runQuery: () => Promise.resolve(outcome) });
}

test('contract 4.4 query: the statement runs for the organisation of the key', async () => {
  const queries: unknown[] = [];
  const answer = await post(call('query', { sql: 'SELECT 1', organisation: 'other' }), {
    runQuery: ({ organisation, sql, authorization }) => {
      queries.push({ organisation, sql, authorization });
      return Promise.resolve(rows('allow\t12\nblock\t3\n'));
    },
  });
  expect(answer.json).toEqual(toolResult(false, 'allow\t12\nblock\t3\n'));
  expect(queries).toEqual([{ organisation: 'acme', sql: 'SELECT 1', ...KEY_HEADERS }]);
});

test('when the key is revoked during a query, the tool error says that the key is not valid', async () => {
  const answer = await answerOf({ kind: 'revoked' });
  expect(answer.json).toEqual(toolResult(true, expect.stringContaining('revoked')));
});

test.each<[string, QueryOutcome]>([
  ['the statement gate', { kind: 'refused', message: 'SETTINGS is not allowed.' }],
  ['the database', { kind: 'database_error', status: 400, message: 'SETTINGS is not allowed.' }],
  ['a database that is away', { kind: 'unavailable', message: 'SETTINGS is not allowed.' }],
])(
  'contract 7.3: a refusal by %s becomes a tool error with the same message',
  async (_who, outcome) => {
    const answer = await answerOf(outcome);
    expect([answer.status, answer.json]).toEqual([
      200,
      toolResult(true, 'SETTINGS is not allowed.'),
    ]);
  },
);

test.each([[undefined], [{}], [{ sql: '' }], [{ sql: '  ' }], [{ sql: 1 }], [{ SQL: 'SELECT 1' }]])(
  'contract 7.3: arguments %j have no statement in `sql`, which is a tool error',
  async (args) => {
    const answer = await post(call('query', args));
    expect(answer.json).toEqual(toolResult(true, expect.stringContaining('`sql`')));
  },
);

test.each([['text'], [1], [null], [['SELECT 1']]])('arguments %j get -32602', async (args) => {
  expect((await post(call('query', args))).json).toMatchObject({
    error: { code: -32602 },
  });
});

test('contract 8: an answer of 256 KiB is returned; a larger one is discarded, and the error advises a LIMIT', async () => {
  const largestAnswer = 'x'.repeat(MCP.maxToolAnswerBytes);
  expect((await answerOf(rows(largestAnswer))).json).toEqual(toolResult(false, largestAnswer));
  for (const outcome of [rows(`${largestAnswer}x`), { kind: 'too_large' } as const]) {
    const { json } = await answerOf(outcome);
    expect(json).toEqual(toolResult(true, expect.stringContaining('LIMIT')));
  }
});

test('characters that a person does not see are shown as escapes, in rows and in errors', async () => {
  const invisibleText = 'Mozilla\u{e0049}\u{e0047}\u202e\u200b';
  const escapedText = String.raw`Mozilla\udb40\udc49\udb40\udc47\u202e\u200b`;
  const body = Buffer.from(`agent\tpath\n${invisibleText}\t/a\\tb\n`);
  const format = 'TabSeparatedWithNames';
  const { json } = await answerOf({ kind: 'rows', contentType: 'x', body, format });
  expect(json).toEqual(
    toolResult(false, `agent\tpath\n${escapedText}\t/a\\tb\n`, {
      columns: ['agent', 'path'],
      rows: [[escapedText, '/a\tb']],
    }),
  );
  const error = await answerOf({ kind: 'database_error', status: 500, message: invisibleText });
  expect(error.json).toEqual(toolResult(true, escapedText));
});

test('an answer in a binary format is a tool error that names text formats', async () => {
  const body = Uint8Array.of(0x50, 0xff, 0xfe);
  const { json } = await answerOf({ kind: 'rows', contentType: 'x', body });
  expect(json).toEqual(toolResult(true, expect.stringContaining('FORMAT')));
});

test('contract 8: a statement has at most 65,456 bytes, counted in UTF-8', () => {
  // This test checks only the input schema: over HTTP, a body with such a statement exceeds the limit of 64 KB.
  const { input } = createQueryTool(() => Promise.resolve(rows('')));
  const isAccepted = (sql: string) => input.safeParse({ sql }).success;
  expect(isAccepted('x'.repeat(MCP.maxStatementBytes))).toBe(true);
  expect(isAccepted('x'.repeat(MCP.maxStatementBytes + 1))).toBe(false);
  expect(isAccepted('é'.repeat(MCP.maxStatementBytes / 2 + 1))).toBe(false);
});

test('a tool that throws gives 500 with an empty body', async () => {
  const runQuery = () => Promise.reject(new Error('secret of the inside'));
  const answer = await post(QUERY, { runQuery });
  expect([answer.status, answer.text]).toEqual([500, '']);
});

test('a caller that disconnects ends its query', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<string>();
  const { promise: started, resolve: start } = Promise.withResolvers<undefined>();
  const server = await serve(
    dataServer({
      runQuery: ({ signal }) => {
        start(undefined);
        return new Promise((answer) => {
          signal?.addEventListener('abort', () => {
            resolve('aborted');
            answer({ kind: 'unavailable', message: 'aborted' });
          });
        });
      },
    }),
  );
  const request = httpRequest(`${server.url}/mcp`, { method: 'POST', headers: KEY_HEADERS });
  request.on('error', () => undefined);
  request.end(JSON.stringify(call('query', { sql: 'SELECT sleep(3)' })));
  await started;
  request.destroy();
  expect(await aborted).toBe('aborted');
});

test('contract 4.4 query_help: query_help returns rules and examples, and reads no data', async () => {
  const runQuery = () => Promise.reject(new Error('query_help must not ask'));
  const answer = await post(call('query_help'), { runQuery });
  const texts = [
    ...['events_distributed', 'created_at', 'LIMIT', '90 days', '65456', 'SELECT'],
    ...["reference = 'K7QM2X9D'", "ip = '203.0.113.7'", "session = '", 'DESCRIBE', 'strong 2'],
    ...FINDINGS.map((name) => `${name} | ${reasons[name].category} | ${reasons[name].strength} | `),
  ];
  for (const word of texts) {
    expect(answer.json).toEqual(toolResult(false, expect.stringContaining(word)));
  }
});

test('contract 4.4 list_columns: list_columns returns each column with its type, and reads them at every call', async () => {
  const columns = [{ name: 'created_at', type: "DateTime64(3, 'UTC')", comment: 'When.' }];
  const server = await serve(dataServer({ listColumns: () => Promise.resolve(columns) }));
  const firstAnswer = await server.post(call('list_columns'), KEY_HEADERS);
  expect(firstAnswer.json).toEqual(
    toolResult(false, "created_at\tDateTime64(3, 'UTC')\tWhen.", { columns }),
  );
  columns.push({ name: 'path', type: 'String', comment: '' });
  const secondAnswer = await server.post(call('list_columns', {}), KEY_HEADERS);
  expect(secondAnswer.json).toEqual(
    toolResult(false, "created_at\tDateTime64(3, 'UTC')\tWhen.\npath\tString", { columns }),
  );
});

test('list_columns without a database gives a tool error, not a 5xx', async () => {
  const listColumns = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.9'));
  const answer = await post(call('list_columns'), { listColumns });
  expect([answer.status, answer.json]).toEqual([
    200,
    toolResult(true, expect.not.stringContaining('10.0.0.9')),
  ]);
});

test('another plugin on the same host keeps its own parsers, errors and methods', async () => {
  const neighbour: FastifyPluginAsync = (app) => {
    app.post('/query', (request) => ({ body: request.body }));
    return Promise.resolve();
  };
  const server = await serve(dataServer(), neighbour);
  const postToNeighbour = (contentType: string, body: string) =>
    fetch(`${server.url}/query`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
  expect(await (await postToNeighbour('application/json', '{"a":1}')).json()).toEqual({
    body: { a: 1 },
  });
  expect((await postToNeighbour('application/x-unknown', 'x')).status).toBe(415);
  expect((await postToNeighbour('application/json', '{')).status).toBe(400);
});
