import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASKED_ABOUT, visitAskedAbout } from '../kit/product/asked-about.ts';
import { conformanceScenarios, conformingScenarios, inspect } from '../kit/mcp/mcp-programs.ts';
import { connectSdkClient } from '../kit/mcp/mcp-sdk-client.ts';
import { type ReplacementCall, startMcpProxy } from '../kit/mcp/mcp-stand-in.ts';
import { ANALYTICS_KEY } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { HOME_IP } from '../kit/visitors/visitors.ts';

/** Contract 4.4, 4.5: these tests use both MCP servers of a started product, with clients of other projects. */
const testbed = useProduct({ rules: ASKED_ABOUT });

const KEY = { authorization: `Bearer ${ANALYTICS_KEY}` };
const HEADER = ['--header', `Authorization: ${KEY.authorization}`];
const dataUrl = () => `${testbed.product.addresses.api}/mcp`;
const docsUrl = () => `${testbed.product.addresses.docs}/mcp`;

const TOOLS = {
  data: ['query', 'query_help', 'list_columns'],
  docs: ['search_docs', 'get_page'],
} as const;

interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

beforeAll(() => visitAskedAbout(testbed.product));

async function callTool(
  client: Client,
  name: string,
  args?: Record<string, unknown>,
): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, ...(args && { arguments: args }) });
  const { content, isError } = answer as {
    content: readonly { type: string; text: string }[];
    isError: boolean;
  };
  expect(content.map(({ type }) => type)).toEqual(['text']);
  return { isError, text: content[0]?.text ?? '' };
}

describe('the SDK’s own client, on the data server', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connectSdkClient(dataUrl(), KEY);
  });
  afterAll(() => client.close());

  test('contract 4.4: the client gets the name of the server, which has only tools', () => {
    expect(client.getServerVersion()).toEqual({ name: 'guard-analytics', version: '1' });
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  });

  test('contract 4.4: the client lists the tools and calls each of them', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.data);
    const columns = await callTool(client, 'list_columns');
    expect(columns.text).toMatch(/^created_at\tDateTime64\(3, 'UTC'\)\t/);
    const rows = await callTool(client, 'query', {
      sql: "SELECT path FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND action = 'limited'",
    });
    expect(rows).toEqual({ isError: false, text: 'path\n/login\n' });
  });

  test('contract 4.4 query_help: each of the twelve example queries finds rows', async () => {
    const help = await callTool(client, 'query_help');
    const blocks = (help.text.split('# Examples\n\n')[1] ?? '').trim().split('\n\n');
    const statements = blocks.filter((block) => block.startsWith('SELECT'));
    expect(statements).toHaveLength(12);
    for (const sql of statements) {
      expect(sql).toContain('WHERE created_at BETWEEN');
      // The visits of this test come from another address than that in the example.
      const queryArguments = { sql: sql.replace('203.0.113.7', HOME_IP) };
      const answer = await callTool(client, 'query', queryArguments);
      expect(answer, sql).toEqual({ isError: false, text: expect.stringMatching(/\S/) as string });
    }
  });

  test('contract 4.4: list_columns returns the columns that query_help names', async () => {
    const { text } = await callTool(client, 'list_columns');
    const columns = text.split('\n').map((line) => line.split('\t', 1)[0]);
    for (const name of ['created_at', 'action', 'decision', 'block_reasons', 'challenge']) {
      expect(columns).toContain(name);
    }
  });

  test.each([
    ['a column that does not exist', 'SELECT nothing FROM events_distributed', /nothing/],
    ['a statement that writes', 'INSERT INTO events_distributed VALUES (1)', /SELECT/],
    ['DESCRIBE', 'DESCRIBE events_distributed', /SELECT/],
    ['SETTINGS', 'SELECT 1 SETTINGS max_threads = 1', /SETTINGS/],
    ['two statements', 'SELECT 1; SELECT 2', /one statement|statement/i],
    ['an answer above 256 KiB', "SELECT repeat('x', 1000) FROM numbers(300)", /LIMIT/],
  ])(
    'contract 7.3: %s leads to a tool error that says what to change',
    async (_what, sql, message) => {
      const answer = await callTool(client, 'query', { sql });
      expect(answer).toEqual({ isError: true, text: expect.stringMatching(message) as string });
    },
  );

  test('contract 7.3: an unknown tool reaches the client as -32602', async () => {
    await expect(client.callTool({ name: 'drop' })).rejects.toMatchObject({ code: -32602 });
  });

  test('contract 7.3: a method that is not served reaches the client as -32601', async () => {
    await expect(client.ping()).rejects.toMatchObject({ code: -32601 });
  });

  test('contract 5: without a key, initialize fails', async () => {
    await expect(connectSdkClient(dataUrl())).rejects.toThrow();
  });
});

test('contract 4.5: the SDK’s own client pings the documentation server, searches it and reads the pages that it found', async () => {
  const client = await connectSdkClient(docsUrl());
  expect(client.getServerVersion()).toEqual({ name: 'guard-docs', version: '1' });
  await client.ping();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.docs);
  const searchResult = await callTool(client, 'search_docs', { query: 'rate limit', limit: 3 });
  const paths = [...searchResult.text.matchAll(/^path: (\S+)$/gm)].map(([, path = '']) => path);
  expect(paths).toHaveLength(3);
  for (const path of [...paths, '/crawlers/googlebot', `${docsUrl()}/../start.md`]) {
    const page = await callTool(client, 'get_page', { path });
    expect(page).toEqual({ isError: false, text: expect.stringMatching(/^# /) as string });
  }
  expect((await callTool(client, 'get_page', { path: '/nowhere' })).isError).toBe(true);
  await client.close();
});

describe('the inspector’s command line', () => {
  test.each([
    ['data', dataUrl, HEADER, TOOLS.data],
    // With `auto` the client first offers a later revision of the protocol.
    ['documentation', docsUrl, ['--protocol-era', 'auto'], TOOLS.docs],
  ])('lists the tools of the %s server, and finds no error in their schemas', async (...row) => {
    const [, url, options, tools] = row;
    const { code, json } = await inspect(url(), ...options, '--method', 'tools/list', '--strict');
    expect([code, json]).toMatchObject([0, { result: { tools: tools.map((name) => ({ name })) } }]);
  });

  test.each([
    [
      'query',
      dataUrl,
      HEADER,
      { sql: 'SELECT 40 + 2 AS sum' },
      /^sum\n42\n$/,
      { columns: ['sum'], rows: [['42']] },
    ],
    ['search_docs', docsUrl, [], { query: 'monitor', limit: 2 }, /path: \//, undefined],
  ])('calls %s', async (tool, url, header, args, expected, structured) => {
    const call = ['--method', 'tools/call', '--tool-name', tool];
    const argumentOptions = ['--tool-args-json', JSON.stringify(args)];
    const { code, json } = await inspect(url(), ...header, ...call, ...argumentOptions);
    const text = expect.stringMatching(expected) as string;
    expect([code, json]).toEqual([
      0,
      {
        result: {
          content: [{ type: 'text', text }],
          ...(structured && { structuredContent: structured }),
          isError: false,
        },
      },
    ]);
  });

  test('contract 5: says that the server needs a key', async () => {
    const { code, json } = await inspect(dataUrl(), '--method', 'tools/list');
    expect(code).not.toBe(0);
    expect(json).toMatchObject({ error: { code: 'auth_required' } });
  });
});

describe('the conformance package', () => {
  const page = join(import.meta.dirname, '..', '..', 'docs', 'guide', 'assistants.md');
  const [, section = ''] = readFileSync(page, 'utf8').split('\n## Tried with\n');
  /** The rows of the documented table of scenarios: names, and the result on each server. */
  const table = [...section.matchAll(/^\| +(`[^|]+) \| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, names = '', data = '', docs = '']) => ({
      names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      data: data.trim(),
      docs: docs.trim(),
    }),
  );
  const passingIn = (column: 'data' | 'docs') =>
    table
      .filter((row) => row[column] === 'passes')
      .flatMap(({ names }) => names)
      .toSorted();

  /** Runs every scenario on one server. Tools of Guard replace the tools that scenarios call. */
  async function conforming(
    url: string,
    headers: readonly (readonly [string, string])[],
    simple: ReplacementCall,
    standInTools: ReplacementCall,
  ): Promise<string[]> {
    const tools = { test_simple_text: simple, test_error_handling: standInTools };
    const standIn = await startMcpProxy(url, headers, tools);
    try {
      return await conformingScenarios(standIn.url);
    } finally {
      await standIn.close();
    }
  }

  test('has only scenarios that are in the documented table', async () => {
    const scenarios = await conformanceScenarios();
    expect(scenarios.length).toBeGreaterThan(20);
    expect(table.flatMap(({ names }) => names).toSorted()).toEqual(scenarios.toSorted());
  });

  test('on the data server, exactly the documented scenarios pass', async () => {
    const passedScenarios = await conforming(
      dataUrl(),
      [['Authorization', KEY.authorization]],
      { name: 'query', arguments: { sql: 'SELECT 1' } },
      { name: 'query', arguments: {} },
    );
    expect(passedScenarios).toEqual(passingIn('data'));
  });

  test('on the documentation server, exactly the documented scenarios pass', async () => {
    const passedScenarios = await conforming(
      docsUrl(),
      [],
      { name: 'get_page', arguments: { path: '/start' } },
      { name: 'get_page', arguments: {} },
    );
    expect(passedScenarios).toEqual(passingIn('docs'));
  });
});
