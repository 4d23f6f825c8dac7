import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../test/kit/test-folder.ts';
import { createRecorders } from './testing/recorders.ts';
import { sampleEvent } from './testing/sample-event.ts';
import { openAnalytics } from './index.ts';

const folder = testFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

test('without the optional packages events are counted as dropped, and the error of a query says which package to install', async () => {
  // The packages find the library by this variable. At this path there is no file.
  vi.stubEnv('CHDB_LIBCHDB_PATH', join(folder, 'nothing.so'));
  const recorders = createRecorders();
  const analytics = await openAnalytics({
    settings: { engine: 'embedded', path: join(folder, 'data') },
    organisations: [{ id: 'acme' }],
    authenticate: () => ({ organisation: 'acme', key: 'board' }),
    clock: Date.now,
    ...recorders,
  });
  analytics.sink.record(sampleEvent());
  expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(1);
  expect(analytics.ready()).toBe(false);
  const outcome = await analytics.runQuery({ organisation: 'acme', sql: 'SELECT 1' });
  expect(outcome.kind).toBe('unavailable');
  expect(JSON.stringify(outcome)).toContain('npm i -g chdb');
  await expect(analytics.listColumns()).rejects.toThrow('not installed');
  await analytics.close();
  expect(readdirSync(folder)).toEqual([]);
});
