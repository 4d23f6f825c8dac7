import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { loadSettings } from '@guard/config/settings/load';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

const BIN = join(import.meta.dirname, '../../../bin/guard.mjs');
const root = mkdtempSync(join(tmpdir(), 'guard-keys-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

const OLD_HASH = '0000000000000000000000000000000000000000000000000000000000000001';
const FILE_TEXT = `# Written by hand.
version: 1
listen: {   api: 127.0.0.1:8082 }   # spaces as the owner likes them
secret: \${KEYS_SECRET}
organisations:
  - id: acme            # the shop
    analytics_keys:     # one for each use
      - { id: grafana, key: "sha256:${OLD_HASH}", expires: 2020-06-30 }  # the board

    # The rules, in order.
    rules: [ {name: everybody, match: {}, detect: true} ]
  - id: other
analytics: { engine: embedded, path: ./data }
`;
const env = { PATH: process.env['PATH'], KEYS_SECRET: '9f2c7b1e5a8d4036c1e7f4b2a9d85036' };

let folder = '';
let file = '';
let folders = 0;
beforeEach(() => {
  vi.stubEnv('KEYS_SECRET', env.KEYS_SECRET);
  folder = join(root, String((folders += 1)));
  file = join(folder, 'guard.yaml');
  mkdirSync(folder);
  writeFileSync(file, FILE_TEXT, { mode: 0o640 });
});

const keys = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('keys', ...args, '--config', file);

/** Runs the command as a process. */
function spawnKeys(...args: readonly string[]): CommandResult {
  const command = [BIN, 'keys', ...args, '--config', file];
  const result = spawnSync(process.execPath, command, { encoding: 'utf8', env });
  return { code: result.status ?? -1, stdout: result.stdout, stderr: result.stderr };
}

const read = () => readFileSync(file, 'utf8');

/** The organisation of a key, that a Guard would find if it started with the current file. */
function organisationOf(key: string): string | undefined {
  const result = loadSettings(file, env);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  const digest = createHash('sha256').update(key).digest();
  return result.settings.organisations.find(({ analytics_keys }) =>
    analytics_keys.some((one) => one.key.equals(digest)),
  )?.id;
}

describe('guard keys create', () => {
  test('prints a key of 256 random bits on stdout, writes only its SHA-256 into the file, and changes nothing else', () => {
    const { code, stdout, stderr } = spawnKeys(
      ...['create', '--organisation', 'acme', '--id', 'backup', '--expires', '2099-12-31'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sk_api_ro_[\w-]{43}\n$/);
    const key = stdout.trim();
    const digest = createHash('sha256').update(key).digest('hex');
    const entry = `{ id: backup, key: "sha256:${digest}", expires: 2099-12-31 }`;
    const line = '      - { id: grafana';
    const [before = '', behind = ''] = FILE_TEXT.split('  # the board\n');
    expect(read()).toBe(`${before}  # the board\n      - ${entry}\n${behind}`);
    expect(read()).toContain(line);
    expect(read() + stderr).not.toContain(key);
    expect(stderr).toContain(`${file}:9: added to analytics_keys of acme:\n  ${entry}`);
    expect(organisationOf(key)).toBe('acme');
  });

  test('--json prints one object; the mode of the file stays, and no other file is left', async () => {
    const { code, stdout, stderr } = await keys(
      ...['create', '--organisation', 'other', '--id', 'x', '--json'],
    );
    expect([code, stderr]).toEqual([0, '']);
    const key = JSON.parse(stdout) as { key: string };
    expect(key).toMatchObject({
      id: 'x',
      organisation: 'other',
      kind: 'analytics',
      expires: null,
      file,
      line: 13,
    });
    expect(organisationOf(key.key)).toBe('other');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['guard.yaml']);
  });

  test('makes a secret key of POST /validate; a symbolic link to the file stays a link', () => {
    const link = join(folder, 'link.yaml');
    symlinkSync('guard.yaml', link);
    const args = [
      'keys',
      'create',
      '--kind',
      'secret',
      '--id',
      'backend',
      '--organisation',
      'acme',
    ];
    const ran = spawnSync(process.execPath, [BIN, ...args, '--config', link], { env });
    expect(String(ran.stdout)).toMatch(/^sk_[\w-]{43}\n$/);
    expect(read()).toContain('    secret_keys: [{ id: backend, key: "sha256:');
    expect(statSync(link).ino).toBe(statSync(file).ino);
  });

  test.each([
    [1, 'no organisation has the id nobody; there are acme, other', ['--organisation', 'nobody']],
    [1, 'say --organisation; there are acme, other', []],
    [2, '--expires 2020-01-01 is over already', ['--expires', '2020-01-01']],
    [2, '--expires: expected a date that exists', ['--expires', '2099-02-30']],
    [
      1,
      'organisation acme has a key grafana already',
      ['--organisation', 'acme', '--id', 'grafana'],
    ],
    [2, '--id is letters, digits, - and _', ['--id', 'a: b']],
  ])('exit code %d: %s', async (code, message, args) => {
    const { code: exit, stdout, stderr } = await keys('create', '--id', 'new', ...args);
    expect([exit, stdout]).toEqual([code, '']);
    expect(stderr).toContain(`guard keys: ${message}`);
    expect(read()).toBe(FILE_TEXT);
  });

  test('refuses an invalid file with its problems, and does not change it', async () => {
    writeFileSync(file, `${FILE_TEXT}observ: true\n`);
    const { code, stdout, stderr } = await keys('create', '--id', 'new', '--organisation', 'acme');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${file}:14:1`);
    expect(read()).toBe(`${FILE_TEXT}observ: true\n`);
  });

  test('refuses a read-only file, also for root', async () => {
    chmodSync(file, 0o440);
    const { code, stdout, stderr } = await keys('create', '--id', 'new', '--organisation', 'acme');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${file} is read-only`);
    expect(read()).toBe(FILE_TEXT);
  });

  test('explains that this user cannot write into the folder', () => {
    const readOnlyFolder = mkdtempSync(join(tmpdir(), 'guard-keys-shut-'));
    const closedFile = join(readOnlyFolder, 'guard.yaml');
    writeFileSync(closedFile, FILE_TEXT, { mode: 0o666 });
    chmodSync(readOnlyFolder, 0o555);
    const args = ['keys', 'create', '-c', closedFile, '--id', 'new', '--organisation', 'acme'];
    // Root can write everywhere, so the process gives up this right. It does not change its user, because another user
    // may not be able to read the repository.
    const withoutRootWrite = [
      'setpriv',
      '--inh-caps=-dac_override',
      '--bounding-set=-dac_override',
    ];
    const before = process.getuid?.() === 0 ? withoutRootWrite : [];
    const [program = '', ...rest] = [...before, process.execPath, BIN, ...args];
    const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8', env });
    chmodSync(readOnlyFolder, 0o755);
    rmSync(readOnlyFolder, { recursive: true });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`guard keys: ${readOnlyFolder}: this user has no permission for it\n`);
  });

  test('concurrent edits wait for each other, so no key is lost', async () => {
    const ids = ['one', 'two', 'three', 'four'];
    const children = ids.map((id): ChildProcess => {
      const args = ['create', '--config', file, '--organisation', 'acme', '--id', id];
      return spawn(process.execPath, [BIN, 'keys', ...args], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    });
    const newKeys = await Promise.all(
      children.map(async (child) => {
        const [out] = await Promise.all([
          child.stdout ? readAll(child.stdout) : '',
          once(child, 'exit'),
        ]);
        return out.trim();
      }),
    );
    expect(newKeys.map(organisationOf)).toEqual(ids.map(() => 'acme'));
  });
});

describe('guard keys list and revoke', () => {
  test('list shows id, organisation, kind, last day and state, without a key or its hash', async () => {
    const { code, stdout } = await keys('list');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `ID       ORGANISATION  KIND       LAST DAY    STATE\ngrafana  acme          analytics  2020-06-30  expired\n`,
    );
    expect(JSON.parse((await keys('list', '--json', '--organisation', 'other')).stdout)).toEqual(
      [],
    );
    expect((await keys('list', '--json')).stdout).not.toContain('0000');
  });

  test('revoke removes only the entry, together with the comment on its line', async () => {
    const { code, stdout } = await keys('revoke', '--organisation', 'acme', '--id', 'grafana');
    expect([code, stdout]).toEqual([0, `${file}:8: took grafana out of analytics_keys of acme.\n`]);
    const [before = '', behind = ''] = FILE_TEXT.split('analytics_keys:     # one for each use\n');
    const rest = behind.slice(behind.indexOf('\n') + 1);
    expect(read()).toBe(`${before}analytics_keys: []     # one for each use\n${rest}`);
    const again = await keys('revoke', '--organisation', 'acme', '--id', 'grafana');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('organisation acme has no such key grafana; it has none');
  });
});
