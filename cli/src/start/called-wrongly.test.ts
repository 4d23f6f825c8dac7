import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

test.each([
  [['own.yaml'], 'unexpected word: own.yaml; write guard start --config own.yaml'],
  [['--demo', '--config', 'own.yaml'], 'give either --config FILE or --demo'],
  [
    [],
    'there is no guard.yaml in this folder; name the settings file: --config FILE, write one with guard init, or try guard start --demo',
  ],
])('guard start %j says what to write', async (args, message) => {
  const { code, stderr } = await runCommand('start', ...args);
  expect([code, stderr.split('\n')[0]]).toEqual([2, `guard start: ${message}`]);
});
