import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer as readBytes, text as readAll } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type CommandResult, runCommand } from '../../cli/src/testing/run-command.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { ANALYTICS_KEY, productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, curl } from '../kit/visitors/visitors.ts';

/**
 * These tests use the commands that ask a running Guard over `POST /query`, which are `guard query` and `guard replay`,
 * and the keys of `guard keys`.
 */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');
const { listen } = productSettings('http://127.0.0.1:1') as { listen: Record<string, string> };
const own = { api: `127.0.0.1:${await freePort()}`, sql: '127.0.0.1:0' };
const testbed = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true }],
  top: { listen: { ...listen, ...own } },
});
const config = () => join(testbed.product.folder, 'guard.yaml');

/** A text by which an attacker would clear a terminal and change its colour. */
const HOSTILE = '/shelf?\u001b[2J\u009b31m';

const query = (args: readonly string[]): Promise<CommandResult> =>
  runCommand('query', ...args, '--config', config());

/** Runs `guard query` as a process, with `input` as its standard input, or on a terminal. */
async function queryAs(kind: 'program' | 'on a terminal', args: readonly string[], input = '') {
  const call = [BIN, 'query', ...args, '--config', config()];
  // The program `script` gives the command a terminal.
  const words = [process.execPath, ...call].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child =
    kind === 'on a terminal'
      ? spawn('script', ['-qec', words.join(' '), '/dev/null'], { stdio: 'pipe' })
      : spawn(process.execPath, call, { env: { PATH: process.env['PATH'] }, stdio: 'pipe' });
  child.stdin.end(input);
  const closeEvent = once(child, 'close');
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  await closeEvent;
  return { code: child.exitCode, stdout, stderr };
}

beforeAll(async () => {
  await send(`${testbed.product.addresses.gateway}/shelf`, { headers: curl });
  const count = async () => (await query(['SELECT count() FROM events_distributed'])).stdout;
  await poll(count, (rows) => rows === '1\n');
});

test('guard query prints rows tab-separated without a header, and accepts a semicolon or a comment at the end', async () => {
  const sql = 'SELECT path, action FROM events_distributed;\n';
  expect(await query([sql])).toEqual({ code: 0, stdout: '/shelf\tchallenge\n', stderr: '' });
  const jsonRun = await query([`SELECT path FROM events_distributed -- newest`, '--json']);
  expect(JSON.parse(jsonRun.stdout)).toMatchObject({ data: [{ path: '/shelf' }], rows: 1 });
});

test('on listen.sql a program that speaks ClickHouse reads the same rows, with the key as its password', async () => {
  const { sql: url } = testbed.product.addresses;
  const client = createClient({ url, username: 'default', password: ANALYTICS_KEY });
  expect(await client.ping({ select: true })).toEqual({ success: true });
  const query_params = { path: '/shelf' };
  const sql = 'SELECT version() AS v, path FROM events_distributed WHERE path = {path:String}';
  const rows = await client.query({ query: sql, query_params, format: 'JSONEachRow' });
  expect(await rows.json()).toMatchObject([{ path: '/shelf' }]);
  await client.close();
  expect((await fetch(url, { method: 'POST', body: 'SELECT 1' })).status).toBe(401);
});

test('guard query - reads the statement from standard input', async () => {
  expect(
    await queryAs('program', ['-'], 'SELECT path\nFROM events_distributed\nFORMAT CSV\n'),
  ).toMatchObject({
    code: 0,
    stdout: '"/shelf"\n',
  });
});

test('guard query passes binary formats on unchanged', async () => {
  const call = [BIN, 'query', 'SELECT 1.5 AS one FORMAT Parquet', '--config', config()];
  const bytes = await readBytes(spawn(process.execPath, call).stdout);
  expect(bytes.subarray(-4).toString()).toBe('PAR1');
  expect(bytes.includes('\uFFFD')).toBe(false);
});

test('on a terminal guard query prints a table, and escapes control characters that a visitor sent', async () => {
  const codes = Array.from(HOSTILE, (character) => character.codePointAt(0)).join(', ');
  const { stdout } = await queryAs('on a terminal', [
    `SELECT char(${codes}) AS sent FROM events_distributed`,
  ]);
  expect(stdout).toContain('┌─');
  expect(stdout).toContain(String.raw`\u001b[2J`);
  expect(stdout).not.toMatch(/[\u001b\u0080-\u009f]/);
});

test.each([
  ['DROP TABLE events_distributed', /^guard query: .*only.*\n$/i],
  [
    'SELECT nothing FROM events_distributed',
    /^guard query: (?!Code).*nothing.*\(UNKNOWN_IDENTIFIER\)/,
  ],
  [
    "SELECT count() FROM events_distributed WHERE block_reasons = 'webdriver'",
    /has\(block_reasons, 'webdriver'\)\. \(CANNOT_READ_ARRAY_FROM_TEXT\)\n$/,
  ],
  ['SELECT 1; SELECT 2', /^guard query: Only one statement per request is allowed\.\n$/],
])('guard query explains why it refuses %s, with exit code 1', async (sql, message) => {
  const { code, stdout, stderr } = await query([sql]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
});

test('guard query prints one message for an invalid key, and another message for a Guard that is away', async () => {
  const wrongKey = await query(['SELECT 1', '--key', 'sk_api_ro_unknown_0000000000']);
  expect([wrongKey.code, wrongKey.stderr]).toEqual([
    1,
    expect.stringContaining('key is not valid'),
  ]);
  const guardAway = await query([
    'SELECT 1',
    '--key',
    'sk_api_ro_1',
    '--api',
    'http://127.0.0.1:1',
  ]);
  expect([guardAway.code, guardAway.stderr]).toEqual([
    1,
    expect.stringContaining('gives no answer'),
  ]);
});

test.each([[['SELECT', '1']], [[]], [['SELECT 1 FORMAT CSV', '--json']]])(
  'guard query refuses the arguments %j',
  async (args) => {
    const { code, stderr } = await query(args);
    expect(code).toBe(2);
    expect(stderr).toContain('guard query --help shows the usage.');
  },
);

test('guard replay: the same settings change nothing, and other settings are compared with the recorded decisions', async () => {
  for (const headers of [curl, curl, chromeHttp]) {
    await send(`${testbed.product.addresses.gateway}/cart?item=1`, { headers });
  }
  const count = async () => (await query(['SELECT count() FROM events_distributed'])).stdout;
  await poll(count, (rows) => rows === '4\n');
  const replay = async (settings: string): Promise<unknown> => {
    const { api } = testbed.product.addresses;
    const args = ['-c', settings, '--from', api, '--key', ANALYTICS_KEY, '--json'];
    const { code, stdout } = await runCommand('replay', ...args);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  const sameCounts = { judged: 4, unreadable: 0, changed: 0, withHeaders: 4 };
  expect(await replay(config())).toMatchObject(sameCounts);
  const candidate = join(testbed.product.folder, 'candidate.yaml');
  const rule = '- name: everybody';
  const writtenSettings = await readFile(config(), 'utf8');
  expect(writtenSettings).toContain(rule);
  const closedRules = `- { name: cart, match: { path: /cart }, verdict: block }\n      ${rule}`;
  await writeFile(candidate, writtenSettings.replace(rule, closedRules));
  expect(await replay(candidate)).toMatchObject({
    judged: 4,
    changed: 3,
    groups: [
      { before: 'challenge', after: 'block', rule: 'cart', requests: 2 },
      { before: 'allow', after: 'block', rule: 'cart', requests: 1 },
    ],
  });
});

describe('contract 5: keys that `guard keys` makes and revokes while Guard runs', () => {
  const keys = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout } = await runCommand('keys', ...args, '--config', config());
    expect(code).toBe(0);
    return stdout.trim();
  };

  async function ask(path: string, key: string, body = 'SELECT 1'): Promise<number> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
    const url = `${testbed.product.addresses.api}${path}`;
    return (await send(url, { method: 'POST', headers, body })).status;
  }

  const untilStatus = (key: string, expected: number) =>
    poll(
      () => ask('/query', key),
      (status) => status === expected,
    );

  test('a new key opens /query and /mcp without a restart, and a revoked key gets 401', async () => {
    const key = await keys('create', '--id', 'grafana');
    await untilStatus(key, 200);
    expect(await ask('/mcp', key)).not.toBe(401);
    await keys('revoke', '--id', 'grafana');
    await untilStatus(key, 401);
    expect(await ask('/mcp', key)).toBe(401);
    expect(testbed.product.log()).not.toContain(key);
  });

  test('revoking a key ends its running query with 401', async () => {
    const key = await keys('create', '--id', 'leaked');
    await untilStatus(key, 200);
    const endless = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
    let hasEnded = false;
    const running = ask('/query', key, endless).finally(() => (hasEnded = true));
    expect(await ask('/query', key)).toBe(200);
    expect(hasEnded).toBe(false);
    await keys('revoke', '--id', 'leaked');
    expect(await running).toBe(401);
  });

  test('an organisation that is added to the file can be queried without a restart', async () => {
    const key = 'sk_api_ro_flow_late_1a2b3c4d5e6f';
    const acme = { id: 'acme', analytics_keys: [{ id: 'tests', key: ANALYTICS_KEY }] };
    const lateOrganisation = { id: 'late', analytics_keys: [{ id: 'board', key }] };
    const settings = productSettings(testbed.origin.url, {
      top: { organisations: [acme, lateOrganisation] },
    });
    await writeFile(config(), stringify(settings));
    await untilStatus(key, 200);
    expect(await ask('/query', ANALYTICS_KEY)).toBe(200);
  });
});
