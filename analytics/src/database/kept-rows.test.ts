import { readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { openWithoutKeys, textOf } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import type { Recorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';

const DAY_MS = 86_400_000;
const folder = testFolder();
const clockFile = join(folder, 'clock');
const definition = join(folder, 'engine', 'metadata', 'default', 'events.sql');

afterAll(() => {});

/** Opens the analytics in the folder, runs `work`, and closes the analytics. Returns the result of `work`. */
async function runOnce<T>(
  work: (analytics: Analytics, recorders: Recorders) => Promise<T>,
): Promise<T> {
  const recorders = createRecorders();
  const settings = { engine: 'embedded', path: folder } as const;
  const analytics = await openWithoutKeys(settings, ['acme'], recorders);
  try {
    return await work(analytics, recorders);
  } finally {
    await analytics.close();
  }
}

async function rows(analytics: Analytics): Promise<string> {
  await until('the engine is ready', () => analytics.ready());
  const outcome = await analytics.runQuery({
    organisation: 'acme',
    sql: "SELECT count(), countIf(body != '') FROM events_distributed",
  });
  if (outcome.kind === 'unavailable') return outcome.message;
  return textOf(outcome).trim();
}

test('a clock that is 200 days ahead deletes nothing and is reported; a trusted clock deletes again', async () => {
  writeFileSync(clockFile, `${Date.now() - 200 * DAY_MS}\n`);
  await runOnce(async (analytics, recorders) => {
    await until('the engine is ready', () => analytics.ready());
    // Two parts for each day, so that a merge is due.
    for (let part = 1; part <= 2; part += 1) {
      for (const days of [0, 20, 100]) {
        analytics.sink.record(sampleEvent({ createdAt: Date.now() - days * DAY_MS, body: 'c=3' }));
      }
      const writtenCount = (): number => recorders.counterValue('guard_events_total', 'written');
      await until('the events are written', () => writtenCount() === 3 * part);
    }
    expect(recorders.gaugeValue('guard_analytics_deletion_held')).toBe(1);
    expect(analytics.condition()).toEqual({ state: 'ready', deletion: 'held' });
    expect(recorders.lines.join()).toContain('analytics_deletion_held');
  });
  await runOnce(async (analytics) => {
    expect(await rows(analytics)).toBe('6\t6');
  });
  unlinkSync(clockFile);
  await runOnce(async (analytics, recorders) => {
    await until('old rows are deleted', async () => (await rows(analytics)) === '4\t2');
    expect(recorders.gaugeValue('guard_analytics_deletion_held')).toBe(0);
  });
});

test('a start changes no definition of current tables', async () => {
  const { ino, mtimeMs } = statSync(definition);
  await runOnce(async (analytics) => {
    expect(await rows(analytics)).toBe('4\t2');
  });
  expect(statSync(definition)).toMatchObject({ ino, mtimeMs });
});

test.each([
  ['empty', 0],
  ['cut', 4000],
])('a definition that a full disk left %s is restored, and no row is lost', async (_, length) => {
  const definitionText = readFileSync(definition, 'utf8');
  truncateSync(definition, length);
  await runOnce(async (analytics, recorders) => {
    expect(await rows(analytics)).toBe('4\t2');
    expect(recorders.lines.join()).toContain('analytics_definition_restored');
  });
  expect(readFileSync(definition, 'utf8')).toBe(definitionText);
});

test('state, queries and metric distinguish an engine that cannot start from one that is starting', async () => {
  const copy = join(folder, 'definitions', 'events.sql');
  const definitionText = readFileSync(definition, 'utf8');
  unlinkSync(copy);
  truncateSync(definition, 0);
  await runOnce(async (analytics, recorders) => {
    expect(analytics.condition()).toMatchObject({ state: 'away' });
    expect(recorders.gaugeValue('guard_analytics_failing')).toBe(0);
    await until('the failure is reported', () => analytics.condition()?.state === 'failing');
    const message =
      'The analytics database cannot start: the definition of a table is damaged, and there is no copy of it.';
    const outcome = await analytics.runQuery({ organisation: 'acme', sql: 'SELECT 1' });
    expect(outcome).toEqual({ kind: 'unavailable', message });
    expect(recorders.gaugeValue('guard_analytics_failing')).toBe(1);
    // The engine tries to start again, so it uses the file that an operator restores.
    writeFileSync(definition, definitionText);
    expect(await rows(analytics)).toBe('4\t2');
    expect(recorders.gaugeValue('guard_analytics_failing')).toBe(0);
  });
});
