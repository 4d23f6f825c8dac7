import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../cli/src/commands/all-commands.ts';

const ROOT = join(import.meta.dirname, '..');

test('the guide has the reasons, columns, commands, errors, metrics and settings of the code', () => {
  const check = [join(ROOT, 'scripts/docs-tables.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});

test('the guide has exactly one section for each command, in the order of `guard --help`', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/commands.md'), 'utf8');
  const headings = [...page.matchAll(/^## guard (.+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(commands.map(({ name }) => name));
});
