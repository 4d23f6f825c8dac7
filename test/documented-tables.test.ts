import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../cli/src/commands/all-commands.ts';

const ROOT = join(import.meta.dirname, '..');

test('reasons, columns, commands, errors, metrics and settings stand in the guide as the code has them', () => {
  const check = [join(ROOT, 'scripts/docs-tables.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});

test('the guide has a section for each command, in the order of guard --help, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/commands.md'), 'utf8');
  const headings = [...page.matchAll(/^## guard (.+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(commands.map(({ name }) => name));
});
