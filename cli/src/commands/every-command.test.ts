import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startProduct } from '../../../test/kit/product/start-product.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';
import { serve } from '../../../test/kit/serve.ts';
import { createMetrics } from '@guard/server';
import { commands } from './all-commands.ts';
import { offeredOptions } from '../completion/offered.ts';

const BIN = join(import.meta.dirname, '../../../bin/guard.mjs');
const ESCAPE = '\u001b';
const folder = testFolder();
const file = join(folder, 'guard.yaml');
const log = join(folder, 'access.log');
writeFileSync(
  file,
  `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
store: { engine: memory, path: . }
alerts: { command: ['true'] }
organisations: [{ id: acme, rules: [{ name: everybody, match: {}, detect: true }] }]
sites: [{ hosts: ['*'], organisation: acme, origin: 'http://127.0.0.1:3000' }]
`,
);
writeFileSync(
  log,
  '84.115.20.7 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8.14.1"\n',
);

/** A page of metrics as the admin listener serves it. */
const metrics = createMetrics();
metrics.gauge('guard_settings_age_seconds', () => 1);
const adminUrl = await serve((_request, response) => {
  void metrics.page().then((page) => response.end(page));
}, afterAll);

const DECIDING = ['--config', file, '--for', '1d', '--because', 'a test'];
/** An API listener that answers with one event. */
const apiUrl = await serve((_request, response) => {
  response.end('{"request_id":"01a211bf-718e-7cf9-8423-a06e9c7624d3","action":"block"}\n');
}, afterAll);

/** An API listener that answers without events. */
const emptyUrl = await serve((_request, response) => void response.end(), afterAll);

/** Settings of a Guard that records events. It finds no rows of a person. */
const recording = join(folder, 'recording.yaml');
writeFileSync(
  recording,
  `${readFileSync(file, 'utf8')}analytics: { engine: clickhouse, url: 'http://127.0.0.1:1', user: guard, password: long, spill: . }\n`,
);
mkdirSync(join(folder, 'control'));
const control = createServer((_request, response) => {
  response.end(JSON.stringify({ kind: 'counted', rows: 0, waiting: 0 }));
}).listen(join(folder, 'control', 'guard.sock'));
await once(control, 'listening');
afterAll(() => control.close());

/** A call of each command, and its exit code. */
const CALLS: Readonly<
  Record<string, { readonly args: () => readonly string[]; readonly code: number }>
> = {
  init: { args: () => ['--into', join(folder, 'made', 'guard.yaml')], code: 0 },
  check: { args: () => [file], code: 0 },
  explain: { args: () => ['--config', file, 'https://a.example/', '--ip', '84.115.20.7'], code: 0 },
  why: { args: () => ['K7QM2X9D', '--api', apiUrl, '--key', 'sk_api_ro_1'], code: 0 },
  query: { args: () => ['SELECT 1', '--api', apiUrl, '--key', 'sk_api_ro_1'], code: 0 },
  export: {
    args: () => ['--api', emptyUrl, '--key', 'sk_api_ro_1', '--out', join(folder, 'events.csv')],
    code: 0,
  },
  forget: { args: () => ['192.0.2.7', '--config', recording], code: 0 },
  replay: { args: () => ['--config', file, log], code: 0 },
  keys: { args: () => ['list', '--config', file], code: 0 },
  crawlers: { args: () => ['show', 'Googlebot'], code: 0 },
  agents: { args: () => ['list', '--config', file], code: 0 },
  block: { args: () => ['192.0.2.7', ...DECIDING], code: 0 },
  allow: { args: () => ['AS64496', ...DECIDING], code: 0 },
  decisions: { args: () => ['--config', file], code: 0 },
  alerts: { args: () => ['test', '--config', file], code: 0 },
  doctor: { args: () => ['http://127.0.0.1:1/'], code: 1 },
  top: { args: () => ['--admin', adminUrl, '--once', '--interval', '0.2'], code: 0 },
  completion: { args: () => ['bash'], code: 0 },
};
/** `start` runs until a signal ends it, so another test starts it as a process. */
const names = commands.filter(({ name }) => name !== 'start').map(({ name }) => name);

describe.each(commands.map((command) => [command.name, command] as const))(
  'guard %s',
  (name, command) => {
    test.each(['--help', '-h'])(
      '%s shows its usage, every option, and the meaning of exit codes',
      async (help) => {
        const { code, stdout, stderr } = await runCommand(name, help);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout.startsWith(`Usage: guard ${name}`)).toBe(true);
        expect(stdout).toContain('\nOptions:\n');
        expect(stdout).toMatch(/\nExit code: 0 /);
        expect(stdout).toMatch(/\b2 (when )?called wrongly/);
        for (const option of offeredOptions(command)) expect(stdout).toContain(`--${option.name}`);
        expect(offeredOptions(command).map((option) => option.name)).toContain('json');
        expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
      },
    );

    test('an unknown option causes a message with a similar option, and exit code 2', async () => {
      const { code, stdout, stderr } = await runCommand(name, '--jsn');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `guard ${name}: there is no option --jsn; did you mean --json?\nguard ${name} --help shows the usage.\n`,
      );
    });

    test('an option without its value, or a switch with a value, causes a message without a stack trace', async () => {
      const { code, stderr } = await runCommand(name, '--json=yes');
      expect(code).toBe(2);
      expect(stderr).toMatch(/^guard \w+: .*--json.*\n/);
      expect(stderr).not.toContain('    at ');
    });
  },
);

test('this test has a call of every command', () => {
  expect(Object.keys(CALLS).sort()).toEqual([...names].sort());
});

test.each(names)('guard %s --json prints one JSON document and nothing else', async (name) => {
  const { args = () => [], code } = CALLS[name] ?? {};
  const result = await runCommand(name, ...args(), '--json');
  expect(result.code).toBe(code);
  expect(result.stderr).toBe('');
  expect(typeof JSON.parse(result.stdout)).toBe('object');
});

test('guard start --json prints one JSON line, and exits with 0 at a signal', async () => {
  const product = await startProduct({
    version: 1,
    listen: { admin: '127.0.0.1:0' },
    secret: '9f2c7b1e5a8d4036c1e7f4b2a9d85036',
  });
  expect(product.addresses.admin).toMatch(/^http:/);
  expect(await product.stop()).toBe(0);
});

describe('colours', () => {
  const run = (command: string, env: Readonly<Record<string, string>>) =>
    spawnSync('/bin/sh', ['-c', command], {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...env },
    });
  const doctor = `${JSON.stringify(process.execPath)} ${JSON.stringify(BIN)} doctor http://127.0.0.1:1/`;

  test('are not sent to a file or another program', () => {
    const { status, stdout } = run(doctor, {});
    expect(status).toBe(1);
    expect(stdout).toContain('PROBLEM');
    expect(stdout).not.toContain(ESCAPE);
  });

  test('are sent to a terminal, but not when NO_COLOR is set', () => {
    const onTerminal = `script -qec ${JSON.stringify(doctor)} /dev/null`;
    expect(run(onTerminal, {}).stdout).toContain(`${ESCAPE}[31mPROBLEM`);
    const plain = run(onTerminal, { NO_COLOR: '1' }).stdout;
    expect(plain).toContain('PROBLEM');
    expect(plain).not.toContain(ESCAPE);
  });
});

describe('guard itself', () => {
  test('lists every command; without a command the exit code is 2', async () => {
    for (const args of [['--help'], ['help'], []]) {
      const { code, stdout } = await runCommand(...args);
      expect(code).toBe(args.length === 0 ? 2 : 0);
      for (const { name, summary } of commands) {
        expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
        expect(stdout).toContain(summary);
      }
    }
  });

  test.each(['--version', '-V'])('%s prints the versions of Guard and Node', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(BIN, '../../package.json'), 'utf8')) as {
      version: string;
    };
    const { code, stdout } = await runCommand(flag);
    expect([code, stdout]).toEqual([0, `guard ${version} on Node ${process.versions.node}\n`]);
  });

  test('suggests a similar command', async () => {
    const { code, stderr } = await runCommand('docter');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^guard: there is no command "docter"\. Did you mean doctor\?\n/);
  });
});
