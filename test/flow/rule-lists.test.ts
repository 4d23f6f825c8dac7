import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { copyOf, formatCopy } from '@guard/config/settings/lists/list-copy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { logLinesOf, untilLogged } from '../kit/product/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { serve } from '../kit/serve.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasOpenssl } from '../kit/tools.ts';
import { curl } from '../kit/visitors/visitors.ts';

/** These tests use lists that rules take from files, and from URLs that a real server publishes. */

const folder = testFolder();
const BANNED_FILE = join(folder, 'banned.txt');
const AGENTS = join(folder, 'agents.txt');
const HANDSHAKES = join(folder, 'ja4.txt');
const DAY_MS = 86_400_000;

/** Replaces a file in one step, as programs that maintain lists do. */
function write(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

const publisher = await serve(({ url }, response) => {
  response.setHeader('etag', '"7"');
  response.end(url === '/shrunk.txt?key=hush' ? '198.51.100.1\n' : '203.0.113.70\n203.0.113.71\n');
}, afterAll);

/** A list that is fetched for the first time, a list that has shrunk, and a list whose server is away. */
const urls = {
  fresh: `${publisher}/fresh.txt`,
  shrunk: `${publisher}/shrunk.txt?key=hush`,
  away: `http://127.0.0.1:${await freePort()}/away.txt`,
};

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  write(BANNED_FILE, '# people who scrape\n203.0.113.7\n');
  write(AGENTS, '*scraper/*\n');
  write(HANDSHAKES, '# none yet\n');
  // These copies are from a Guard that ran yesterday.
  publishList(urls.shrunk, '198.51.100.1\n198.51.100.2\n198.51.100.3\n');
  publishList(urls.away, '192.0.2.77\n');
  origin = await startRecordingOrigin();
  const fetchedLists = Object.entries(urls).map(([name, url]) => ({
    name,
    match: { ip: { url, every: '5m' } },
    verdict: 'block',
  }));
  const settings = productSettings(origin.url, {
    rules: [
      { name: 'banned', match: { ip: ['192.0.2.1', { file: BANNED_FILE }] }, verdict: 'block' },
      { name: 'agents', match: { user_agent: { file: AGENTS } }, verdict: 'block' },
      { name: 'handshakes', match: { ja4: { file: HANDSHAKES } }, verdict: 'block' },
      ...fetchedLists,
    ],
    top: { store: { engine: 'memory', path: folder }, ...(hasOpenssl && tls()) },
  });
  const listen = {
    ...(settings['listen'] as object),
    ...(hasOpenssl && { gateway_tls: '127.0.0.1:0' }),
  };
  product = await startProduct({ ...settings, listen });
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

function publishList(url: string, text: string): void {
  const copy = copyOf(folder, 'ip', url);
  mkdirSync(dirname(copy), { recursive: true });
  const fetched_at = new Date(Date.now() - DAY_MS).toISOString();
  writeFileSync(copy, formatCopy({ url, fetched_at }, text));
}

function tls(): object {
  const { key, cert } = selfSigned('localhost');
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return { tls: { certificates: [files] } };
}

async function statusFor(ip: string, agent = curl['user-agent'] ?? ''): Promise<number> {
  const headers = { ...curl, 'user-agent': agent, 'x-forwarded-for': ip };
  return (await send(`${product.addresses.gateway}/`, { headers })).status;
}

describe('match.ip of a file', () => {
  test('blocks the addresses of the file and of the rule, and no other', async () => {
    expect(await statusFor('203.0.113.7')).toBe(403);
    expect(await statusFor('192.0.2.1')).toBe(403);
    expect(await statusFor('203.0.113.8')).toBe(200);
  });

  test('uses a changed file without a restart', async () => {
    write(BANNED_FILE, '203.0.113.8\n2001:db8::/32\n');
    await poll(
      () => statusFor('203.0.113.8'),
      (status) => status === 403,
    );
    expect(await statusFor('203.0.113.7')).toBe(200);
    expect(await statusFor('2001:db8::1')).toBe(403);
  });

  test('refuses a bad change and logs its line number, and the last good list stays in use', async () => {
    write(BANNED_FILE, '203.0.113.9\n203.0.113.300\n');
    const [line] = await poll(
      () => Promise.resolve(logLinesOf(product, 'reload_refused')),
      (lines) => lines.length > 0,
    );
    expect(line).toContain(`${BANNED_FILE}:2:1: organisations[0].rules[0].match.ip[1]`);
    expect(line).toContain('203.0.113.300');
    expect(await statusFor('203.0.113.8')).toBe(403);
    expect(await statusFor('203.0.113.9')).toBe(200);
    write(BANNED_FILE, '203.0.113.9\n');
    await poll(
      () => statusFor('203.0.113.9'),
      (status) => status === 403,
    );
  });
});

test('match.user_agent of a file has one pattern per line', async () => {
  expect(await statusFor('192.0.2.9', 'my scraper/2')).toBe(403);
  expect(await statusFor('192.0.2.9', 'my browser/2')).toBe(200);
});

describe.skipIf(!hasOpenssl)('match.ja4', () => {
  function overTls(): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = {
        rejectUnauthorized: false,
        headers: { ...curl, host: 'localhost' },
        // 127.0.0.1 is a trusted proxy, and the handshake of a proxy is not the visitor's.
        localAddress: '127.0.0.2',
        // A connection that resumes a TLS session has another fingerprint.
        agent: false,
      } as const;
      request(`${product.addresses.gateway_tls}/tls`, options, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  }

  test('matches requests with a handshake of the list, and no request without a handshake', async () => {
    expect(await overTls()).toBe(200);
    const [event] = await poll(
      () => rowsOf<{ ja4: string }>(product, "SELECT ja4 FROM events WHERE path = '/tls'"),
      (rows) => rows.length > 0,
    );
    const ja4 = event?.ja4 ?? '';
    write(HANDSHAKES, `${ja4} # this program\n`);
    await poll(overTls, (status) => status === 403);
    expect(await statusFor('192.0.2.9')).toBe(200);
  });
});

describe('match.ip of a URL', () => {
  test('without a copy the list is empty, and the fetched list is in use without a restart', async () => {
    await poll(
      () => statusFor('203.0.113.70'),
      (status) => status === 403,
    );
    expect(await statusFor('203.0.113.71')).toBe(403);
    expect(await statusFor('203.0.113.72')).toBe(200);
    expect(logLinesOf(product, 'published_awaited', 'fresh.txt')).toHaveLength(1);
    expect(logLinesOf(product, 'published_current', 'fresh.txt')).toHaveLength(1);
    const copy = readFileSync(copyOf(folder, 'ip', urls.fresh), 'utf8');
    expect(copy).toContain('"etag":"\\"7\\""');
  });

  test('a list that lost more than half of its entries is refused, and the last good copy stays in use', async () => {
    const [line] = await untilLogged(product, 'published_kept_back', 'shrunk.txt');
    expect(line).toContain('1 entries in place of 3: less than half');
    // The query of a URL can be a key, so it must not be logged.
    expect(product.log()).not.toContain('hush');
    expect(await statusFor('198.51.100.3')).toBe(403);
  });

  test('while the server of a list is away, the last good copy stays in use', async () => {
    const [line] = await untilLogged(product, 'published_kept_back', 'away.txt');
    expect(line).toContain('ECONNREFUSED');
    expect(await statusFor('192.0.2.77')).toBe(403);
  });

  test('the age of the oldest list is a metric', async () => {
    const { body } = await send(`${product.addresses.admin}/metrics`);
    const age = Number(/^guard_rule_lists_age_seconds (\d+)$/m.exec(body)?.[1]);
    expect(age).toBeGreaterThanOrEqual(DAY_MS / 1000);
  });
});
