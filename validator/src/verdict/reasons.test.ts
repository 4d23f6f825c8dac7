import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasons } from '@guard/config/contract/reasons';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');

test('the code uses every documented block reason (contract 2.2)', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES });
  const code = files
    .filter((file) => !/\.test\.ts$|(?:^|\/)testing\//.test(file))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
    .join('\n');
  expect(files.length).toBeGreaterThan(50);
  const neverGiven = Object.keys(reasons).filter((reason) => !code.includes(`'${reason}'`));
  expect(neverGiven).toEqual([]);
});
