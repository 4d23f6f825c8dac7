import { join } from 'node:path';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { openControl } from './open-control.ts';

test('the log of a second Guard in the same folder names the folder and what to do', async () => {
  const folder = join(testFolder(), 'data');
  const settings = { analytics: { engine: 'embedded', path: folder }, store: {} };
  const lines: string[] = [];
  const open = () =>
    openControl({
      // The cast is safe in this test, because only these two settings are read.
      settings: () => settings as unknown as Settings,
      forget: () => Promise.resolve({ kind: 'refused', message: '' }),
      log: (level, event, fields) => lines.push(`${level} ${event} ${JSON.stringify(fields)}`),
    });
  onTestFinished(await open());
  expect(lines).toEqual([]);
  onTestFinished(await open());
  expect(lines).toEqual([
    `warn control_unavailable ${JSON.stringify({
      reason: `another Guard uses the folder ${folder}: give each Guard a folder of its own in store.path and analytics.path`,
    })}`,
  ]);
});
