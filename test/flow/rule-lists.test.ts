import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../kit/https-front.ts';
import { poll, send } from '../kit/http.ts';
import { logged } from '../kit/log-lines.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { rowsOf } from '../kit/sql.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasOpenssl } from '../kit/tools.ts';
import { curl } from '../kit/visitors.ts';

/** Lists that rules take from files, in a Guard that runs. */

const folder = testFolder();
const BANNED = join(folder, 'banned.txt');
const AGENTS = join(folder, 'agents.txt');
const HANDSHAKES = join(folder, 'ja4.txt');

/** As a program would that keeps the list: in one step. */
function write(file: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  write(BANNED, '# people who scrape\n203.0.113.7\n');
  write(AGENTS, '*scraper/*\n');
  write(HANDSHAKES, '# none yet\n');
  origin = await startRecordingOrigin();
  const settings = storySettings(origin.url, {
    rules: [
      { name: 'banned', match: { ip: ['192.0.2.1', { file: BANNED }] }, verdict: 'block' },
      { name: 'agents', match: { user_agent: { file: AGENTS } }, verdict: 'block' },
      { name: 'handshakes', match: { ja4: { file: HANDSHAKES } }, verdict: 'block' },
    ],
    top: { ...(hasOpenssl && tls()) },
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

function tls(): object {
  const { key, cert } = selfSigned();
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
  test('blocks the addresses of the list and those beside it, and nobody else', async () => {
    expect(await statusFor('203.0.113.7')).toBe(403);
    expect(await statusFor('192.0.2.1')).toBe(403);
    expect(await statusFor('203.0.113.8')).toBe(200);
  });

  test('a change of the file is in use without a restart', async () => {
    write(BANNED, '203.0.113.8\n2001:db8::/32\n');
    await poll(
      () => statusFor('203.0.113.8'),
      (status) => status === 403,
    );
    expect(await statusFor('203.0.113.7')).toBe(200);
    expect(await statusFor('2001:db8::1')).toBe(403);
  });

  test('a bad change is refused with its line, and the last good list stays in use', async () => {
    write(BANNED, '203.0.113.9\n203.0.113.300\n');
    const [line] = await poll(
      () => Promise.resolve(logged(product, 'reload_refused')),
      (lines) => lines.length > 0,
    );
    expect(line).toContain(`${BANNED}:2:1: organisations[0].rules[0].match.ip[1]`);
    expect(line).toContain('203.0.113.300');
    expect(await statusFor('203.0.113.8')).toBe(403);
    expect(await statusFor('203.0.113.9')).toBe(200);
    write(BANNED, '203.0.113.9\n');
    await poll(
      () => statusFor('203.0.113.9'),
      (status) => status === 403,
    );
  });
});

test('match.user_agent of a file takes one pattern a line', async () => {
  expect(await statusFor('192.0.2.9', 'my scraper/2')).toBe(403);
  expect(await statusFor('192.0.2.9', 'my browser/2')).toBe(200);
});

describe.skipIf(!hasOpenssl)('match.ja4', () => {
  function overTls(): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = {
        rejectUnauthorized: false,
        headers: { ...curl, host: 'localhost' },
        // A handshake of a trusted proxy is not the visitor's, and 127.0.0.1 is one.
        localAddress: '127.0.0.2',
        // Each handshake is a first one: a resumed one has another fingerprint.
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

  test('holds for the handshake that the list names, and never where none was seen', async () => {
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
