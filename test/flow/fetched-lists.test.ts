import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { copyOf, formatCopy } from '@guard/config/settings/lists/list-copy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { logged, untilLogged } from '../kit/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { curl } from '../kit/visitors.ts';

/** Lists that rules take from URLs: a real server publishes them, a Guard that runs fetches them. */

const data = testFolder();
const DAY = 86_400_000;

let publisher: Server;
let origin: RecordingOrigin;
let product: Product;
/** What is fetched for the first time, what has shrunk, and what is published nowhere any more. */
let urls: { readonly fresh: string; readonly shrunk: string; readonly away: string };

beforeAll(async () => {
  publisher = createServer((request, response) => {
    response.setHeader('etag', '"7"');
    response.end(
      request.url === '/shrunk.txt?key=hush' ? '198.51.100.1\n' : '203.0.113.7\n203.0.113.8\n',
    );
  });
  publisher.listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  const base = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  urls = {
    fresh: `${base}/fresh.txt`,
    shrunk: `${base}/shrunk.txt?key=hush`,
    away: `http://127.0.0.1:${await freePort()}/away.txt`,
  };
  // As a Guard that ran yesterday left them.
  keep(urls.shrunk, '198.51.100.1\n198.51.100.2\n198.51.100.3\n');
  keep(urls.away, '192.0.2.1\n');
  origin = await startRecordingOrigin();
  const rules = Object.entries(urls).map(([name, url]) => ({
    name,
    match: { ip: { url, every: '5m' } },
    verdict: 'block',
  }));
  const store = { engine: 'memory', path: data };
  product = await startProduct(storySettings(origin.url, { rules, top: { store } }));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
  publisher.close();
});

function keep(url: string, text: string): void {
  const copy = copyOf(data, 'ip', url);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(
    copy,
    formatCopy({ url, fetched_at: new Date(Date.now() - DAY).toISOString() }, text),
  );
}

async function statusFor(ip: string): Promise<number> {
  const headers = { ...curl, 'x-forwarded-for': ip };
  return (await send(`${product.addresses.gateway}/`, { headers })).status;
}

test('without a copy a list is empty, and what is fetched is in use without a restart', async () => {
  await poll(
    () => statusFor('203.0.113.7'),
    (status) => status === 403,
  );
  expect(await statusFor('203.0.113.8')).toBe(403);
  expect(await statusFor('203.0.113.9')).toBe(200);
  expect(logged(product, 'published_awaited', 'fresh.txt')).toHaveLength(1);
  expect(logged(product, 'published_current', 'fresh.txt')).toHaveLength(1);
  expect(readFileSync(copyOf(data, 'ip', urls.fresh), 'utf8')).toContain('"etag":"\\"7\\""');
});

test('a list that lost more than half of its entries is refused, and the last good one stays in use', async () => {
  const [line] = await untilLogged(product, 'published_kept_back', 'shrunk.txt');
  expect(line).toContain('1 entries in place of 3: less than half');
  // The query of a URL may be a key.
  expect(product.log()).not.toContain('hush');
  expect(await statusFor('198.51.100.3')).toBe(403);
});

test('while the server of a list is away, the last good list stays in use', async () => {
  const [line] = await untilLogged(product, 'published_kept_back', 'away.txt');
  expect(line).toContain('ECONNREFUSED');
  expect(await statusFor('192.0.2.1')).toBe(403);
});

test('the age of the oldest list is a metric', async () => {
  const { body } = await send(`${product.addresses.admin}/metrics`);
  const age = Number(/^guard_rule_lists_age_seconds (\d+)$/m.exec(body)?.[1]);
  expect(age).toBeGreaterThanOrEqual(DAY / 1000);
});
