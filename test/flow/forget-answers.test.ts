import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { readSettings } from '../../cli/src/command-line/read-settings.ts';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { openControl } from '../../server/src/control/open-control.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';

/**
 * These tests check the output of `guard forget` for each answer over the control socket. The counts are invented,
 * because real counts depend on chance.
 */

const folder = testFolder();

test.each([
  ['when no row is left, the exit code is 0', 0, 0, 0, /^2 rows deleted; none is left\./m],
  [
    'when rows came meanwhile, the exit code is 1',
    1,
    0,
    1,
    /2 rows deleted; 1 row came meanwhile: run the command again/,
  ],
  [
    'when events still wait, the exit code is 1, and the output has their number',
    0,
    3,
    1,
    /but 3 events of all people still wait/,
  ],
])('guard forget: %s', async (_, rowsLeft, rowsWaiting, code, message) => {
  const file = join(folder, 'guard.yaml');
  const top = { store: { engine: 'memory', path: join(folder, 'store') } };
  writeFileSync(file, stringify(productSettings('http://127.0.0.1:1', { top })));
  const settings = readSettings(file)?.settings;
  if (settings === undefined) throw new Error('the settings are refused');
  const close = await openControl({
    settings: () => settings,
    forget: (act) =>
      Promise.resolve(
        act === 'count'
          ? { kind: 'counted', rows: 2, waiting: rowsWaiting }
          : { kind: 'deleted', rows: 2, left: rowsLeft, waiting: rowsWaiting },
      ),
    log: () => undefined,
  });
  onTestFinished(close);
  const result = await runCommand(
    'forget',
    '203.0.113.7',
    '--organisation',
    'acme',
    '--yes',
    '--config',
    file,
  );
  expect(result.stdout).toMatch(message);
  expect(result.code).toBe(code);
});
