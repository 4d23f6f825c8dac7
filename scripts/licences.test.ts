import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isAllowed, LockFile, productionDependencies } from './production-licences.ts';

const SCRIPT = join(import.meta.dirname, 'licences.ts');
const run = promisify(execFile);

test('every package of an installation has an allowed licence', async () => {
  const { stdout } = await run(process.execPath, [SCRIPT]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^\d+ packages, 0 with a licence that is not allowed$/);
  expect(lines.length).toBeGreaterThan(80);
  expect(stdout).toMatch(/^chdb@\S+ +Apache-2\.0, optional$/m);
});

test('--json lists the packages for production, and no development tools', async () => {
  const { stdout } = await run(process.execPath, [SCRIPT, '--json']);
  const dependencies = JSON.parse(stdout) as { name: string; licence: string }[];
  const names = dependencies.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['zod', 'fastify', 'undici', 'pino', 'ws', 'express']),
  );
  for (const tool of ['vitest', 'eslint', 'typescript', '@guard/config']) {
    expect(names).not.toContain(tool);
  }
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND BSD-3-Clause', true],
  ['MIT AND GPL-3.0-only', false],
  ['AGPL-3.0-or-later', false],
  ['LGPL-2.1', false],
  ['SEE LICENSE IN EULA.txt', false],
  ['', false],
])('SPDX: %j is allowed: %s', (licence, allowed) => {
  expect(isAllowed(licence)).toBe(allowed);
});

test('a package with a forbidden or missing licence is found at any depth, and packages for development are ignored', () => {
  const lock = LockFile.parse({
    lockfileVersion: 3,
    packages: {
      '': { license: 'Apache-2.0' },
      cli: { license: 'Apache-2.0' },
      'node_modules/cli': { link: true },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
      'node_modules/a': { version: '1.0.0', license: 'MIT' },
      'node_modules/a/node_modules/b': { version: '2.0.0', license: 'AGPL-3.0-only' },
      'node_modules/c': { version: '1.0.0', optional: true },
    },
  });
  const dependencies = productionDependencies(lock);
  expect(dependencies.map(({ name, version, allowed }) => [name, version, allowed])).toEqual([
    ['a', '1.0.0', true],
    ['b', '2.0.0', false],
    ['c', '1.0.0', false],
  ]);
});
