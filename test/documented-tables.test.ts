import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../scripts/docs-tables.ts');

test('reasons, columns, commands, errors and metrics stand in the guide as the code has them', () => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});
