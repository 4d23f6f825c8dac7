import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { commands } from '../commands/all-commands.ts';
import { runCommand } from '../testing/run-command.ts';

const folder = testFolder();
const SETTINGS =
  'version: 1\nlisten: { admin: 127.0.0.1:0 }\nsecret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036\n';
const [empty, good, bad] = ['empty', 'good', 'bad'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
for (const one of [empty, good, bad]) mkdirSync(one);
writeFileSync(join(good, 'guard.yaml'), SETTINGS);
writeFileSync(join(bad, 'guard.yaml'), 'version: 2\n');
const home = process.cwd();
afterEach(() => process.chdir(home));

function runIn(cwd: string, ...args: readonly string[]) {
  process.chdir(cwd);
  return runCommand(...args);
}

/** The arguments of a call that needs the settings, for each command with --config. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  start: [],
  check: [],
  explain: ['https://a.example/', '--ip', '192.0.2.7'],
  why: ['K7QM2X9D'],
  query: ['SELECT 1'],
  export: [],
  forget: ['192.0.2.7', '--json'],
  replay: ['access.log'],
  keys: ['list'],
  agents: ['list'],
  crawlers: ['list'],
  block: ['192.0.2.7', '--for', '1d', '--because', 'a test'],
  allow: ['192.0.2.7', '--for', '1d', '--because', 'a test'],
  decisions: [],
  doctor: ['http://127.0.0.1:1/'],
  top: ['--once'],
  alerts: ['test'],
};

test('this test has a call of every command with --config', () => {
  const names = commands.filter(({ options }) => 'config' in options).map(({ name }) => name);
  expect(Object.keys(CALLS).sort()).toEqual(names.sort());
});

describe.each(Object.entries(CALLS))('guard %s without --config', (name, args) => {
  test('reads guard.yaml of the folder', async () => {
    const { code, stdout, stderr } = await runIn(bad, name, ...args);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('guard.yaml:1:')]);
  });

  test('has the default in --help', async () => {
    const { stdout } = await runCommand(name, '--help');
    expect(stdout).toMatch(/default guard\.yaml in this folder/);
  });

  // These two commands need no settings.
  if (name === 'doctor' || name === 'crawlers') return;
  test('says that the file is missing when the folder has none', async () => {
    const { code, stdout, stderr } = await runIn(empty, name, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /guard\.yaml in this folder.*--config FILE|--config FILE.*guard\.yaml in this folder/,
    );
  });
});

test('messages name the default file in the same way as a file of --config', async () => {
  const { code, stdout } = await runIn(good, 'check');
  expect([code, stdout]).toEqual([0, expect.stringContaining('guard.yaml is good')]);
});

test('a file of --config replaces the default', async () => {
  expect((await runIn(bad, 'check', join(good, 'guard.yaml'))).code).toBe(0);
});

test('the demo has its own settings', async () => {
  const { code, stderr } = await runIn(bad, 'start', '--demo', '--port', '64526');
  expect([code, stderr]).toEqual([2, expect.stringContaining('expected 0 for free ports')]);
});

test('a call that names the address of a Guard does not read the default file', async () => {
  const { code, stderr } = await runIn(bad, 'query', 'SELECT 1', '--api', 'http://127.0.0.1:1');
  expect([code, stderr]).toEqual([2, expect.stringContaining('give an analytics key')]);
});
