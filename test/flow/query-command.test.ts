import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer as readBytes, text as readAll } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { beforeAll, expect, test } from 'vitest';
import { type Ran, runCommand } from '../../cli/src/testing/run-command.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { ANALYTICS_KEY, storySettings } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';
import { curl } from '../kit/visitors.ts';

/** `guard query` beside a running Guard: one statement, its rows, and its refusals in words. */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');
const { listen } = storySettings('http://127.0.0.1:1') as { listen: Record<string, string> };
const own = { api: `127.0.0.1:${await freePort()}`, sql: '127.0.0.1:0' };
const story = useProduct({ top: { listen: { ...listen, ...own } } });

/** What a stranger sends so that a terminal changes its colour and hides the row. */
const HOSTILE = '/shelf?\u001b[2J\u009b31m';

function query(args: readonly string[]): Promise<Ran> {
  return runCommand('query', ...args, '--config', join(story.product.folder, 'guard.yaml'));
}

/** The same as a program of its own, which has a standard input or a terminal. */
async function queryAs(kind: 'program' | 'on a terminal', args: readonly string[], input = '') {
  const config = join(story.product.folder, 'guard.yaml');
  const call = [BIN, 'query', ...args, '--config', config];
  // `script` gives the command a terminal.
  const quoted = [process.execPath, ...call].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child =
    kind === 'on a terminal'
      ? spawn('script', ['-qec', quoted.join(' '), '/dev/null'], { stdio: 'pipe' })
      : spawn(process.execPath, call, { env: { PATH: process.env['PATH'] }, stdio: 'pipe' });
  child.stdin.end(input);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}

beforeAll(async () => {
  const headers = { ...curl, 'user-agent': 'curl/8.14.1' };
  await send(`${story.product.addresses.gateway}/shelf`, { headers });
  const count = async () => (await query(['SELECT count() FROM events_distributed'])).stdout;
  await poll(count, (rows) => rows === '1\n');
});

test('rows come tab-separated, without a header, and a semicolon or a comment at the end is no fault', async () => {
  const sql = 'SELECT path, action FROM events_distributed;\n';
  expect(await query([sql])).toEqual({ code: 0, stdout: '/shelf\tchallenge\n', stderr: '' });
  const json = await query([`SELECT path FROM events_distributed -- newest`, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ data: [{ path: '/shelf' }], rows: 1 });
});

test('on listen.sql a program that speaks ClickHouse reads the same rows, with the key as its password', async () => {
  const { sql: url } = story.product.addresses;
  const client = createClient({ url, username: 'default', password: ANALYTICS_KEY });
  expect(await client.ping({ select: true })).toEqual({ success: true });
  const query_params = { path: '/shelf' };
  const sql = 'SELECT version() AS v, path FROM events_distributed WHERE path = {path:String}';
  const rows = await client.query({ query: sql, query_params, format: 'JSONEachRow' });
  expect(await rows.json()).toMatchObject([{ path: '/shelf' }]);
  await client.close();
  expect((await fetch(url, { method: 'POST', body: 'SELECT 1' })).status).toBe(401);
});

test('- reads the statement from standard input', async () => {
  expect(
    await queryAs('program', ['-'], 'SELECT path\nFROM events_distributed\nFORMAT CSV\n'),
  ).toMatchObject({
    code: 0,
    stdout: '"/shelf"\n',
  });
});

test('an answer that is no text comes as it is', async () => {
  const config = join(story.product.folder, 'guard.yaml');
  const call = [BIN, 'query', 'SELECT 1.5 AS one FORMAT Parquet', '--config', config];
  const bytes = await readBytes(spawn(process.execPath, call).stdout);
  expect(bytes.subarray(-4).toString()).toBe('PAR1');
  expect(bytes.includes('\uFFFD')).toBe(false);
});

test('on a terminal it is a table, and the terminal obeys nothing of what a visitor sent', async () => {
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
  ['SELECT 1; SELECT 2', /^guard query: Only one statement a request is allowed\.\n$/],
])('%s is refused in words, with exit code 1', async (sql, said) => {
  const { code, stdout, stderr } = await query([sql]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(said);
});

test('a key that is not valid, and a Guard that is away, are told apart', async () => {
  const wrong = await query(['SELECT 1', '--key', 'sk_api_ro_unknown_0000000000']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('key is not valid')]);
  const away = await query(['SELECT 1', '--key', 'sk_api_ro_1', '--api', 'http://127.0.0.1:1']);
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('gives no answer')]);
});

test.each([[['SELECT', '1']], [[]], [['SELECT 1 FORMAT CSV', '--json']]])(
  '%j is called wrongly',
  async (args) => {
    const { code, stderr } = await query(args);
    expect(code).toBe(2);
    expect(stderr).toContain('guard query --help shows how it is called.');
  },
);
