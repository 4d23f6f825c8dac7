import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadSettings } from '@guard/config/settings/load';
import { plainAnalyticsKeys } from '@guard/config/settings/keys/plain-keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../../test/kit/http.ts';
import {
  type RecordingOrigin,
  startRecordingOrigin,
} from '../../../test/kit/origins/recording-origin.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

const BIN = join(import.meta.dirname, '../../../bin/guard.mjs');
const root = testFolder();
let fileCount = 0;
const newFile = () => join(root, String((fileCount += 1)), 'guard.yaml');
const secretsOf = (file: string) => file.replace('.yaml', '.env');

let origin: RecordingOrigin;
beforeAll(async () => {
  origin = await startRecordingOrigin();
});
afterAll(() => origin.close());

const init = (file: string, ...args: readonly string[]): Promise<CommandResult> =>
  runCommand('init', '--into', file, ...args);

/** The settings as `guard start` reads them, with an empty environment. */
function settingsOf(file: string) {
  const result = loadSettings(file, {});
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

describe('guard init writes a commented guard.yaml and a 0600 file with secrets', () => {
  test('options answer the questions, and --yes uses the defaults for the others', async () => {
    const file = newFile();
    const site = ['--site', 'shop.example,www.shop.example', '--origin', origin.url];
    const { code, stdout, stderr } = await init(file, ...site, '--front', 'local', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${origin.url} answers.`);
    expect(stdout).toContain(`guard start --config ${file}`);
    expect(stdout).toMatch(/let your proxy pass .* nginx.*\n.*observe: true.*\n.*monitor: true/);
    expect(readFileSync(file, 'utf8')).toContain('# webhook_paths: [/hooks/**]');
    expect(settingsOf(file)).toMatchObject({
      observe: true,
      trusted_proxies: ['127.0.0.1', '::1'],
      listen: { gateway: { host: '127.0.0.1', port: 8080 } },
      sites: [{ hosts: ['shop.example', 'www.shop.example'] }],
      analytics: { engine: 'embedded' },
    });
    const secrets = readFileSync(secretsOf(file), 'utf8');
    expect(statSync(secretsOf(file)).mode & 0o777).toBe(0o600);
    const [, secret = 'none'] = /^GUARD_SECRET=(\S{43})$/m.exec(secrets) ?? [];
    expect(secrets).toMatch(/^ANALYTICS_KEY=sk_api_ro_\S{43}$/m);
    expect(readFileSync(file, 'utf8') + stdout).not.toContain(secret);
    expect(readFileSync(file, 'utf8')).toMatch(/^# /);
  });

  test.each([
    [['--front', 'nothing'], { trusted_proxies: [], listen: { gateway: { host: '0.0.0.0' } } }],
    [
      ['--front', '10.0.0.0/8, 2001:db8::/32'],
      { trusted_proxies: ['10.0.0.0/8', '2001:db8::/32'] },
    ],
    [
      ['--mode', 'enforce'],
      { observe: false, organisations: [{ rules: [{ challenge: 'auto' }] }] },
    ],
    [['--events', 'none'], { listen: { admin: { port: 9090 } } }],
    [
      ['--events', 'http://ch:8123'],
      { analytics: { engine: 'clickhouse', spill: expect.any(String) as string } },
    ],
    [['--site', '*'], { sites: [{ hosts: ['*'] }] }],
    [['--origin', '1'], { sites: [{ origin: [{ origin: 'http://127.0.0.1:1' }] }] }],
  ])('%j', async (args, expected) => {
    const file = newFile();
    const { code, stdout } = await init(file, ...args, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ settings: file, secrets: secretsOf(file) });
    expect(settingsOf(file)).toMatchObject(expected);
  });

  test('a note names an origin that does not answer, and the files are still written', async () => {
    const { code, stdout } = await init(newFile(), '--origin', '127.0.0.1:1', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'Note: http://127.0.0.1:1 cannot be reached: nothing listens there (ECONNREFUSED)',
    );
  });

  test('an existing file is not changed', async () => {
    const file = newFile();
    expect((await init(file, '--yes')).code).toBe(0);
    const before = readFileSync(secretsOf(file), 'utf8');
    const again = await init(file, '--yes');
    expect([again.code, again.stderr]).toEqual([
      1,
      `guard init: ${file} is there already; name another file: --into FILE\n`,
    ]);
    expect(readFileSync(secretsOf(file), 'utf8')).toBe(before);
  });

  test.each([
    [['--site', 'http://shop.example'], '--site: "http://shop.example" is no host name'],
    [['--origin', 'localhost'], '--origin: "localhost" is no origin'],
    [['--origin', '99999'], '--origin: "99999" is no origin; write a port, or a URL without'],
    [['--front', 'nginx'], '--front: "nginx" is no address; write nothing, local for a proxy'],
    [['--events', 'postgres'], '--events: "postgres" is none of'],
    [['--mode', 'block'], '--mode: "block" is neither observe nor enforce'],
  ])('%j causes a message, and no file is written', async (args, message) => {
    const file = newFile();
    const { code, stderr } = await init(file, ...args, '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain(`guard init: ${message}`);
    expect(existsSync(secretsOf(file))).toBe(false);
  });

  test('without a terminal and without --yes it explains what to do', () => {
    const result = spawnSync(process.execPath, [BIN, 'init', '--into', newFile()], {
      ...{ encoding: 'utf8', input: '' },
    });
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(
      'there is no terminal for questions; add --yes, and set --site,',
    );
  });

  test('it leaves no file when it cannot write a complete file', () => {
    const file = newFile();
    const command = `ulimit -f 0; exec ${process.execPath} ${BIN} init --offline --yes --into ${file}`;
    const result = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect([result.status, result.stdout]).toEqual([1, '']);
    expect([existsSync(file), existsSync(secretsOf(file))]).toEqual([false, false]);
  });

  test('without a terminal it asks no question when each has its option', () => {
    const file = newFile();
    const options = ['--site', 'shop.example', '--origin', origin.url, '--front', 'nothing'];
    const args = [
      'init',
      '--offline',
      '--into',
      file,
      ...options,
      '--events',
      'none',
      '--mode',
      'enforce',
    ];
    const result = spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', input: '' });
    expect([result.status, result.stderr]).toEqual([0, '']);
    expect(settingsOf(file)).toMatchObject({ observe: false });
  });

  test('on a terminal it asks five questions, repeats a question after a wrong answer, and uses the default for an empty answer', () => {
    const file = newFile();
    const command = `${process.execPath} ${BIN} init --into ${file}`;
    const input = `bad/host\nshop.example\nhttp://127.0.0.1:1\n\n\nenforce\n`;
    const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
      ...{ encoding: 'utf8', input },
    });
    expect(stdout).toContain('"bad/host" is no host name');
    expect(stdout.match(/\[[^\]]+\] /g)).toHaveLength(6);
    expect(status).toBe(0);
    expect(settingsOf(file)).toMatchObject({
      ...{
        observe: false,
        sites: [{ hosts: ['shop.example'] }],
        analytics: { engine: 'embedded' },
      },
    });
  });
});

test('guard start works with both files: the first request gets an answer of the site', async () => {
  const file = newFile();
  expect((await init(file, '--origin', origin.url, '--events', 'none', '--yes')).code).toBe(0);
  const onFreePorts = readFileSync(file, 'utf8').replaceAll(/(: \d+\.0\.0\.\d):\d+/g, '$1:0');
  writeFileSync(file, onFreePorts);
  const child = spawn(process.execPath, [BIN, 'start', '--config', file, '--json'], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { addresses } = JSON.parse(line) as { addresses: { gateway: string } };
    const port = new URL(addresses.gateway).port;
    expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

describe('guard.env beside guard.yaml', () => {
  test('commands that ask a running Guard read the analytics key from guard.env', async () => {
    const file = newFile();
    await init(file, '--yes');
    const [, key] = /^ANALYTICS_KEY=(\S+)$/m.exec(readFileSync(secretsOf(file), 'utf8')) ?? [];
    expect(plainAnalyticsKeys(file, {})).toEqual([{ organisation: 'me', key }]);
  });

  test('the environment has priority over the file, and a file that every user can read is refused', async () => {
    const file = newFile();
    await init(file, '--yes');
    const secret = 'a secret of the environment, long enough';
    const result = loadSettings(file, { GUARD_SECRET: secret });
    expect(result).toMatchObject({ kind: 'loaded', settings: { secret: [secret] } });
    expect(result.files).toContain(secretsOf(file));
    writeFileSync(secretsOf(file), 'GUARD_SECRET=x', { mode: 0o644 });
    spawnSync('chmod', ['644', secretsOf(file)]);
    expect(loadSettings(file, {})).toMatchObject({
      problems: [
        { file: secretsOf(file), message: `it holds secrets: chmod 600 ${secretsOf(file)}` },
      ],
    });
  });
});
