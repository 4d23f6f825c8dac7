import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CommandResult, runCommand } from '../../cli/src/testing/run-command.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { ANALYTICS_KEY } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, curl, HOME_IP } from '../kit/visitors/visitors.ts';

/** In these tests `guard top` shows a running Guard: as text, as JSON, as lines, and on a terminal. */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');
const ESCAPE = '\u001b';
const testbed = useProduct({ rules: [{ name: 'everybody', match: {}, detect: true }] });

const guardOptions = (): string[] => {
  const { admin, api } = testbed.product.addresses;
  return ['--admin', admin, '--api', api, '--key', ANALYTICS_KEY, '--interval', '0.3'];
};
const run = (...more: readonly string[]): Promise<CommandResult> =>
  runCommand('top', ...guardOptions(), ...more);

const env = { PATH: process.env['PATH'], TERM: 'xterm' };

async function visit(headers: Readonly<Record<string, string>>, from: string): Promise<void> {
  await send(testbed.product.addresses.gateway, {
    headers: { ...headers, 'x-forwarded-for': from },
  });
}

interface Printed {
  readonly decisions: readonly { readonly name: string; readonly total: number }[];
  readonly recent: {
    readonly kind: string;
    readonly reasons: readonly { readonly name: string; readonly count: number }[];
    readonly addresses: readonly { readonly name: string; readonly count: number }[];
    readonly sites: readonly unknown[];
    readonly p50Ms: number;
    readonly p99Ms: number;
  };
}

test('--json has decisions from the metrics, and reasons, addresses, sites and times from the events', async () => {
  await visit(chromeHttp, HOME_IP);
  for (let n = 0; n < 3; n++) await visit(curl, '203.0.113.9');
  const output = await poll(
    async () => JSON.parse((await run('--json')).stdout) as Printed,
    ({ recent }) => recent.kind === 'counted' && recent.addresses.length === 2,
  );
  const { decisions, recent } = output;
  expect(Object.fromEntries(decisions.map(({ name, total }) => [name, total]))).toEqual({
    allow: 1,
    challenge: 3,
  });
  expect(recent.reasons).toEqual([{ name: 'http_client_user_agent', count: 3 }]);
  expect(recent.addresses).toEqual([
    { name: '203.0.113.9', count: 3 },
    { name: HOME_IP, count: 1 },
  ]);
  expect(recent.sites).toEqual([{ name: '127.0.0.1', count: 4 }]);
  expect(recent.p99Ms).toBeGreaterThanOrEqual(recent.p50Ms);
  expect(recent.p50Ms).toBeGreaterThan(0);
});

test('--once prints the same facts as text, and without a terminal the text has no escape sequences', async () => {
  const { code, stdout, stderr } = await run('--once');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^guard top {2}http:\/\/127\.0\.0\.1:\d+ {2}\d\d:\d\d:\d\d UTC\n/);
  expect(stdout).toMatch(/\ndecisions +\d/);
  expect(stdout).toContain('http_client_user_agent');
  expect(stdout).not.toContain(ESCAPE);
});

test('a Guard that does not answer gives exit code 1 and a message', async () => {
  const closedUrl = `http://127.0.0.1:${await freePort()}`;
  const { code, stdout, stderr } = await run('--once', '--admin', closedUrl);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`guard top: ${closedUrl}: ECONNREFUSED\n`);
});

test('the message says when the URL is not an admin listener of Guard', async () => {
  const { code, stderr } = await run('--once', '--admin', testbed.origin.url);
  expect(code).toBe(1);
  expect(stderr).toContain('what listens there is no admin listener of Guard');
});

test('without a terminal guard top prints a line for each update, and SIGTERM ends it with exit code 0', async () => {
  const child = spawn(process.execPath, [BIN, 'top', ...guardOptions()], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await poll(
    () => Promise.resolve(text.split('\n').length),
    (lines) => lines > 2,
  );
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  expect(text).toMatch(/^\d\d:\d\d:\d\d UTC {2}[\d.]+ decisions\/s {2}.*origin errors 0\.0/);
  expect(text).not.toContain(ESCAPE);
});

test('on a terminal of 80 × 24 each screen of guard top fits, q ends it, and the terminal is as before', async () => {
  const inner = `stty rows 24 cols 80; ${[process.execPath, BIN, 'top', ...guardOptions()].join(' ')}; echo "code=$?"; stty -a`;
  const child = spawn('script', ['-qec', inner, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exitEvent = once(child, 'exit');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await poll(
    () => Promise.resolve(text),
    (screenText) => screenText.includes('decisions '),
  );
  child.stdin.write('q');
  await exitEvent;

  expect(text).toContain('code=0');
  const [, behind = ''] = text.split(`${ESCAPE}[?1049l`);
  expect(text.indexOf(`${ESCAPE}[?1049h`)).toBeLessThan(text.indexOf('decisions '));
  expect(text.lastIndexOf(`${ESCAPE}[?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESCAPE}[?25l`));
  // The terminal again reads whole lines and shows typed characters.
  expect(behind).toMatch(/(?<!-)\bicanon\b/);
  expect(behind).toMatch(/(?<!-)\becho\b/);
  const frame = text.split(`${ESCAPE}[H`).at(-1)?.split(`${ESCAPE}[J`)[0] ?? '';
  const lines = frame
    .split('\r\n')
    .map((line) => line.replace(/\u001b\[[\d;]*[mK]/g, '').trimEnd());
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
