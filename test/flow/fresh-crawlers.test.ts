import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { untilLogged } from '../kit/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { curl } from '../kit/visitors.ts';

/**
 * A Guard that runs fetches the addresses of crawlers by itself. The operators are one server of this machine: a
 * module that the process loads first leads https there, and draws no time to wait.
 */

const NEW_ADDRESS = '93.184.216.34';
const GPTBOT = 'openai-gptbot';
const folder = testFolder();

const bundled = CrawlerCatalogue.load().lists.find(({ file }) => file === GPTBOT)?.entries ?? [];
const state = { prefixes: [...bundled, `${NEW_ADDRESS}/32`] as readonly string[] };

let operators: Server;
let origin: RecordingOrigin;
let product: Product;
let env: Record<string, string>;

beforeAll(async () => {
  operators = createServer((request, response) => {
    if (request.url !== '/openai.com/gptbot.json') response.writeHead(503).end();
    else
      response.end(
        JSON.stringify({ prefixes: state.prefixes.map((ipv4Prefix) => ({ ipv4Prefix })) }),
      );
  });
  operators.listen(0, '127.0.0.1');
  await once(operators, 'listening');
  const { port } = operators.address() as AddressInfo;
  const preload = join(folder, 'preload.mjs');
  writeFileSync(
    preload,
    `const real = globalThis.fetch;
globalThis.fetch = (url, init) => {
  const { protocol, host, pathname } = new URL(url);
  return real(protocol === 'https:' ? 'http://127.0.0.1:${port}/' + host + pathname : url, init);
};
Math.random = () => 0;
`,
  );
  env = { NODE_OPTIONS: `--import=${preload}` };
  origin = await startRecordingOrigin();
  product = await start();
});
afterAll(async () => {
  await product.stop();
  await origin.close();
  operators.close();
});

function start(): Promise<Product> {
  const crawler = { name: 'GPTBot', verified: true };
  const rules = [{ name: 'proved', match: { crawler }, verdict: 'block', status: 451 }];
  const store = { engine: 'memory', path: join(folder, 'data') };
  const crawlers = { refresh: '1h', reverse_dns: false };
  const settings = storySettings(origin.url, {
    rules,
    top: { store, crawlers, analytics: undefined },
  });
  const listen = { gateway: '127.0.0.1:0', admin: '127.0.0.1:0' };
  return startProduct({ ...settings, listen }, env);
}

async function statusOfGptBot(ip: string): Promise<number> {
  const headers = { ...curl, 'user-agent': 'GPTBot/1.2', 'x-forwarded-for': ip };
  return (await send(`${product.addresses.gateway}/`, { headers })).status;
}

test('a new address of a crawler is proved without a restart, and lists of operators who are away stay', async () => {
  await poll(
    () => statusOfGptBot(NEW_ADDRESS),
    (status) => status === 451,
  );
  const [line] = await untilLogged(product, 'published_current', 'of crawlers');
  expect(line).toMatch(/"current":1,"of":\d+,"without":"/);
  expect(readdirSync(join(folder, 'data', 'crawlers'))).toEqual([`${GPTBOT}.json`]);
});

test('a list that lost more than half of its addresses is not believed, and the last good one stays in use', async () => {
  const file = join(folder, 'data', 'crawlers', `${GPTBOT}.json`);
  await product.stop();
  // As if two days had passed.
  const then = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const day = readFileSync(file, 'utf8').replace(/("fetched_at": ")[^"]+/, `$1${then}`);
  writeFileSync(file, day);
  state.prefixes = [`${NEW_ADDRESS}/32`];
  product = await start();
  const [line] = await untilLogged(product, 'published_kept_back', 'of crawlers');
  expect(line).toBeDefined();
  expect(readFileSync(file, 'utf8')).toBe(day);
  expect(await statusOfGptBot(NEW_ADDRESS)).toBe(451);
});
