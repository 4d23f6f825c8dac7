import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASKED_ABOUT, visitAskedAbout } from '../kit/product/asked-about.ts';
import { connectSdkClient } from '../kit/mcp/mcp-sdk-client.ts';
import { ANALYTICS_KEY } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { curl, HOME_IP } from '../kit/visitors/visitors.ts';

/**
 * These tests ask ten questions of operators. The started product answers each question with at most two tool calls.
 * The statements come from query_help. The test replaces the example value.
 */
const testbed = useProduct({ rules: ASKED_ABOUT });

/** The event of the visitor in the first questions. */
let stoppedVisit = { reference: '', session: '' };
let data: Client;
let docs: Client;

beforeAll(async () => {
  const events = await visitAskedAbout(testbed.product);
  stoppedVisit = events.find(({ path }) => path === '/article') ?? stoppedVisit;
  expect([stoppedVisit.reference, stoppedVisit.session]).not.toContain('');
  data = await connectSdkClient(`${testbed.product.addresses.api}/mcp`, {
    authorization: `Bearer ${ANALYTICS_KEY}`,
  });
  docs = await connectSdkClient(`${testbed.product.addresses.docs}/mcp`);
});
afterAll(() => Promise.all([data.close(), docs.close()]));

type Call = (server: Client, name: string, args?: Record<string, unknown>) => Promise<string>;

/** Returns a function that calls a tool. Only two calls are allowed. */
function limitedCall(): Call {
  let callsLeft = 2;
  return async (server, name, args = {}) => {
    expect(callsLeft).toBeGreaterThan(0);
    callsLeft -= 1;
    const answer = await server.callTool({ name, arguments: args });
    expect(answer.isError).toBe(false);
    const [{ text }] = answer.content as [{ text: string }];
    return text;
  };
}

/** Reads query_help, and runs the example with this title, with one value replaced. */
async function askAsTaught(title: RegExp, change?: readonly [string, string]): Promise<string> {
  const call = limitedCall();
  const help = await call(data, 'query_help');
  const blocks = help.slice(help.indexOf('# Examples')).split('\n\n');
  const sql = blocks[blocks.findIndex((block) => title.test(block)) + 1] ?? '';
  if (change !== undefined) expect(sql).toContain(change[0]);
  return call(data, 'query', { sql: change === undefined ? sql : sql.replace(...change) });
}

test.each([
  ['reference code', 'K7QM2X9D', () => stoppedVisit.reference],
  ['address', '203.0.113.7', () => HOME_IP],
  ['session', '6b1f0d9c2e7a48358c5d1e9f70a2b4c6', () => stoppedVisit.session],
])('questions 1 to 3: the %s leads to the reason of the decision', async (_by, example, value) => {
  const answer = await askAsTaught(/one visitor/, [example, value()]);
  const rows = answer
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string });
  expect(rows.find(({ path }) => path === '/article')).toMatchObject({
    action: expect.stringMatching(/^(block|challenge)$/) as string,
    rule: 'everybody',
    block_reasons: ['http_client_user_agent'],
    user_agent: curl['user-agent'],
  });
});

test('question 4: what changed since yesterday?', async () => {
  const [names, ...rows] = (await askAsTaught(/Today beside yesterday/)).trim().split('\n');
  expect(names).toBe('action\tlast_day\tday_before\trevisions');
  expect(rows.find((row) => row.startsWith('limited\t'))).toMatch(/^limited\t1\t0\t\['\w+'\]$/);
});

test('question 5: what would the rule on trial stop?', async () => {
  const answer = await askAsTaught(/monitor mode would have stopped/);
  expect(answer).toBe('rule\tpath\trequests\non trial\t/trial/new\t1\n');
});

test('question 6: who is over the login budget?', async () => {
  const answer = await askAsTaught(/exceeded a rate limit/);
  expect(answer).toBe(`ip\tpath\trefused\n${HOME_IP}\t/login\t1\n`);
});

test('question 7: is that Googlebot really Googlebot?', async () => {
  const [names, ...rows] = (await askAsTaught(/Verified crawlers/)).trim().split('\n');
  expect(names).toBe('crawler_name\tcrawler_verified\taction\trequests');
  expect(rows.sort()).toEqual(['Googlebot\tfalse\tblock\t1', 'Googlebot\ttrue\tallow\t1']);
});

test('question 8: what does http_client_user_agent mean, and how much does it weigh?', async () => {
  const help = await limitedCall()(data, 'query_help');
  expect(help).toContain('http_client_user_agent | bot_identity | strong | The User-Agent names');
  expect(help).toContain('strong 2');
});

test('question 9: what did Safari browsers get in the last hour, and which column has this answer?', async () => {
  const call = limitedCall();
  const columns = await call(data, 'list_columns');
  expect(columns).toMatch(/^browser\t.*claims/m);
  const sql =
    "SELECT action, count() FROM events_distributed WHERE created_at BETWEEN now() - INTERVAL 1 HOUR AND now64() AND browser = 'safari' GROUP BY action";
  expect(await call(data, 'query', { sql })).toBe('action\tcount()\n0 rows');
});

test('question 10: how do I keep AI training crawlers out?', async () => {
  const call = limitedCall();
  const answer = await call(docs, 'search_docs', { query: 'block AI training crawlers' });
  const paths = [...answer.matchAll(/^path: (\S+)$/gm)].map(([, path = '']) => path);
  const path = paths.find((one) => /rules-cookbook|presets/.test(one)) ?? '';
  expect(await call(docs, 'get_page', { path })).toMatch(/ai-train/);
});

test('the third tool call in a test fails', async () => {
  const call = limitedCall();
  await call(data, 'list_columns');
  await call(data, 'list_columns');
  await expect(call(data, 'list_columns')).rejects.toThrow();
});

test.each([
  ["SELECT action, '' AS x FROM events_distributed WHERE path = '/none'", 'action\tx\n0 rows', []],
  ['SELECT 1 AS action, 2 AS x WHERE 0 FORMAT TSVWithNames', 'action\tx\n0 rows', []],
  [
    "SELECT 'a\\tb\\n\\'\\\\' AS action, NULL AS x",
    "action\tx\na\\tb\\n\\'\\\\\t\\N\n",
    [["a\tb\n'\\", null]],
  ],
])(
  'the text has column names, or `0 rows`, and structuredContent has the same data: %s',
  async (sql, text, rows) => {
    const answer = await data.callTool({ name: 'query', arguments: { sql } });
    expect(answer).toEqual({
      content: [{ type: 'text', text }],
      structuredContent: { columns: ['action', 'x'], rows },
      isError: false,
    });
  },
);

test('an answer in another format, or with totals, has no structuredContent, and an empty answer says 0 rows', async () => {
  for (const [sql, text] of [
    ['SELECT 1 WHERE 0 FORMAT JSONEachRow', '0 rows'],
    ['SELECT 1 AS one FORMAT JSONEachRow', '{"one":1}\n'],
    ['SELECT count() AS rows FROM numbers(2) WITH TOTALS', 'rows\n2\n\n2\n'],
  ]) {
    const answer = await data.callTool({ name: 'query', arguments: { sql } });
    expect(answer).toEqual({ content: [{ type: 'text', text }], isError: false });
  }
});

test('contract 8: text and structuredContent together do not exceed the limit of one answer', async () => {
  const sql = "SELECT repeat('x', 1000) FROM numbers(200)";
  const answer = await data.callTool({ name: 'query', arguments: { sql } });
  expect(Object.keys(answer).sort()).toEqual(['content', 'isError']);
});
