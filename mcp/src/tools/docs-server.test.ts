import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { MCP } from '@guard/config/contract/limits';
import { expect, test } from 'vitest';
import { createDocsServer } from '../index.ts';
import { call, serve, toolResult } from '../testing/rpc-server.ts';
import { EXAMPLE_BOT } from '../testing/docs-site.ts';

/** The clock moves by one minute for each request, so that no budget is spent. */
let nowMs = 0;
const library = createDocsServer({
  publicUrl: 'https://docs.example',
  crawlers: [...CrawlerCatalogue.load().all(), EXAMPLE_BOT],
  clock: () => (nowMs += 60_000),
});
const post = async (body: object) => (await serve(library)).post(body);

test('contract 4.5: initialize and ping are served without a key', async () => {
  const initialize = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  expect(initialize.json).toMatchObject({
    result: { serverInfo: { name: 'guard-docs', version: '1' } },
  });
  const ping = await post({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(ping.json).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
});

test('contract 4.5: tools/list shows search_docs with its limit of 1 to 20, default 8, and get_page', async () => {
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(answer.json).toMatchObject({
    result: {
      tools: [
        {
          name: 'search_docs',
          inputSchema: {
            properties: { limit: { type: 'integer', minimum: 1, maximum: 20, default: 8 } },
            required: ['query'],
          },
          annotations: { readOnlyHint: true },
        },
        {
          name: 'get_page',
          inputSchema: { required: ['path'] },
          annotations: { readOnlyHint: true },
        },
      ],
    },
  });
});

async function search(args: object): Promise<string> {
  const { json } = await post(call('search_docs', args));
  const { result } = json as { result: { content: { text: string }[]; isError: boolean } };
  expect(result.isError).toBe(false);
  return result.content[0]?.text ?? '';
}
const pathsIn = (text: string) => [...text.matchAll(/^path: (.+)$/gm)].map(([, path]) => path);

test.each([
  ['monitor', '/rules#monitor'],
  ['limits', '/limits'],
  ['how do I block AI training crawlers', '/crawlers#ai-training'],
  ['googlebot', '/crawlers/googlebot'],
  ['rate_limit_exceeded', '/block-reasons/rate_limit_exceeded'],
  ['interstitial_no_session', '/block-reasons/interstitial_no_session'],
  ['trusted_proxies', '/guard-yaml#behind-a-proxy-or-load-balancer'],
  ['fail open fail closed', '/errors#what-a-caller-does'],
  ['cursor', '/assistants#cursor'],
])('contract 4.5 search_docs: "%s" finds %s among its first three', async (query, path) => {
  const text = await search({ query });
  expect(pathsIn(text).slice(0, 3)).toContain(path);
  expect(text).toContain(`markdown: https://docs.example${path.split('#', 1)[0] ?? ''}.md`);
});

test('a page of the guide comes before the many generated pages', async () => {
  const limitPaths = pathsIn(await search({ query: 'rate limit' }));
  expect(limitPaths.slice(0, 3)).toContain('/limits#rate-limits');
  const foundPaths = pathsIn(await search({ query: 'monitoring', limit: 20 }));
  expect(foundPaths.slice(0, 3)).toContain('/rules#monitor');
  expect(foundPaths.filter((path) => path?.startsWith('/crawlers/')).length).toBeGreaterThan(3);
});

test('contract 8: limit is 8 when absent, and never exceeded', async () => {
  expect(pathsIn(await search({ query: 'the' }))).toHaveLength(8);
  expect(pathsIn(await search({ query: 'the', limit: 1 }))).toHaveLength(1);
  expect(pathsIn(await search({ query: 'the', limit: 20 }))).toHaveLength(20);
});

test('a search without results is not an error, and its answer names the list of all pages', async () => {
  expect(await search({ query: 'xylophone' })).toContain('https://docs.example/llms.txt');
});

test.each([
  [undefined],
  [{}],
  [{ query: '' }],
  [{ query: ' \n' }],
  [{ query: 5 }],
  [{ query: 'a', limit: 0 }],
  [{ query: 'a', limit: 21 }],
  [{ query: 'a', limit: 2.5 }],
  [{ query: 'a', limit: '8' }],
  [{ query: 'a', limit: null }],
])('contract 7.4: search_docs with %j is a tool error', async (args) => {
  const answer = await post(call('search_docs', args));
  expect([answer.status, answer.json]).toEqual([200, toolResult(true, expect.any(String))]);
});

test.each([
  '/rules',
  'rules',
  '/rules/',
  '/rules.md',
  '/rules#monitor',
  'https://docs.example/rules',
  'https://docs.example/rules.md?x=1#monitor',
])('contract 4.5 get_page: %s returns the page "Rules" as Markdown', async (path) => {
  const answer = await post(call('get_page', { path }));
  expect(answer.json).toEqual(toolResult(false, expect.stringMatching(/^# Rules\n/)));
});

test('contract 4.5 get_page: the path of a crawler profile returns the profile', async () => {
  const answer = await post(call('get_page', { path: '/crawlers/example-bot' }));
  expect(answer.json).toEqual(toolResult(false, expect.stringMatching(/^# Example Bot\n/)));
});

test.each([
  [{}],
  [{ path: '' }],
  [{ path: 7 }],
  [{ path: '/nowhere' }],
  [{ path: '/../package.json' }],
  [{ path: 'https://[' }],
])('contract 7.4: get_page with %j is a tool error', async (args) => {
  const answer = await post(call('get_page', args));
  expect([answer.status, answer.json]).toEqual([200, toolResult(true, expect.any(String))]);
});

test('contract 4.5: the server is public, and one address may send 600 requests at once, then 10 a second; above this budget it gets 429 with Retry-After', async () => {
  let time = 0;
  const server = await serve(
    createDocsServer({ publicUrl: 'https://docs.example', clock: () => time }),
  );
  const ping = async () => {
    const answer = await server.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    return [answer.status, answer.headers.get('retry-after')];
  };
  const { requests, perMs } = MCP.docsRequestsPerAddress;
  const limits = await server.post(call('get_page', { path: '/limits' }));
  expect(limits.text).toContain(`${requests} in ${perMs / 1000} seconds`);
  time += perMs;
  for (let sentCount = 0; sentCount < requests; sentCount += 1)
    expect(await ping()).toEqual([200, null]);
  expect(await ping()).toEqual([429, '1']);
  expect((await fetch(`${server.url}/llms.txt`)).status).toBe(200);
  time += 100;
  expect(await ping()).toEqual([200, null]);
});
