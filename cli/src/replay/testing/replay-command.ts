import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type CommandResult, runCommand } from '../../testing/run-command.ts';
import type { Replay } from '../run-replay.ts';

/** Runs `guard replay` on logs and settings that a test writes. The folder is removed after the tests of the file. */

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

const folder = mkdtempSync(join(tmpdir(), 'guard-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

export function write(content: string | Buffer, suffix = '.log'): string {
  const file = join(folder, `${(files += 1)}${suffix}`);
  writeFileSync(file, content);
  return file;
}

export const DETECT = '{ name: everybody, match: {}, detect: true }';

export function settings(rules: string, lines = ''): string {
  return write(
    `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
organisations: [{ id: acme, rules: [${rules}] }]
sites:
  - { hosts: [shop.example], organisation: acme, origin: "http://127.0.0.1:3000", skip: [/assets/**] }
${lines}`,
    '.yaml',
  );
}

/** Runs the command, and returns its output. */
export const replay = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('replay', ...args);

export type Result = Replay & { readonly notes: readonly string[] };

export async function replayJson(...args: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await replay(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Result;
}

export const changes = ({ groups }: Result) =>
  groups.map(({ before, after, reasons: why, requests }) => [before, after, why, requests]);

/** A residential address. */
export const HOME = '84.115.20.7';

/** One line of an access log. */
export function combined(
  overrides: Readonly<Partial<Record<'at' | 'ip' | 'request' | 'agent' | 'host', string>>> = {},
): string {
  const { at = '21/Nov/2026:10:15:30 +0100', ip = HOME, agent = CHROME, host } = overrides;
  const { request = 'GET / HTTP/1.1' } = overrides;
  const vhost = host === undefined ? '' : `${host} `;
  return `${vhost}${ip} - - [${at}] "${request}" 200 5120 "-" "${agent}"\n`;
}
