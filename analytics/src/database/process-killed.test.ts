import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { openWithoutKeys, textOf } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { describeServer } from '../testing/server.ts';
import { until } from '../testing/until.ts';
import type { AnalyticsOptions } from '../index.ts';

const SCRIPT = new URL('../testing/record-until-killed.ts', import.meta.url).pathname;
const LIVES = 3;
/** After 250 ms, rows are on disk. The rest of this time is a reserve for a busy machine. */
const LOST_AT_MOST_MS = 250 + 250;

/**
 * Starts a process that records events, and kills it. Returns the requests that were recorded long enough before the
 * kill.
 */
async function liveAndDie(
  settings: AnalyticsOptions['settings'],
  atLeast: number,
): Promise<string[]> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until('rows are recorded', () => output.length / 51 >= atLeast);
  const outputEnd = once(child.stdout, 'end');
  child.kill('SIGKILL');
  await outputEnd;
  const recordedIds = output.split('\n').slice(0, -1);
  const lastAt = Number(recordedIds.at(-1)?.split(' ')[1]);
  return recordedIds
    .map((line) => line.split(' '))
    .filter(([, at]) => lastAt - Number(at) > LOST_AT_MOST_MS)
    .map(([id = '']) => id);
}

/** Opens the analytics once more, waits until all rows are written, and compares them with the recorded requests. */
async function expectEach(
  settings: AnalyticsOptions['settings'],
  ids: readonly string[],
  seed: number,
): Promise<void> {
  const recorders = createRecorders();
  const analytics = await openWithoutKeys(settings, ['acme'], recorders);
  await until(
    'all events are written',
    () => analytics.ready() && recorders.gaugeValue('guard_events_queued') === 0,
  );
  const outcome = await analytics.runQuery({
    organisation: 'acme',
    sql: 'SELECT request_id FROM events_distributed',
  });
  await analytics.close();
  const rows = textOf(outcome).split('\n').slice(0, -1);
  const storedRows = new Set(rows);
  expect(ids.length, `seed ${seed}`).toBeGreaterThan(1000);
  expect(
    ids.filter((id) => !storedRows.has(id)),
    `seed ${seed}`,
  ).toEqual([]);
  expect(rows.length - storedRows.size, `seed ${seed}`).toBe(0);
  expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(0);
}

test('after repeated SIGKILL no row older than 250 ms is lost, and none is stored twice', async () => {
  const random = seededRandom();
  const path = mkdtempSync(join(tmpdir(), 'guard-killed-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  const settings = { engine: 'embedded', path } as const;
  const ids: string[] = [];
  for (let life = 0; life < LIVES; life += 1) {
    ids.push(...(await liveAndDie(settings, 3000 + random.below(6000))));
  }
  await expectEach(settings, ids, random.seed);
});

test('while a remote server is away, repeated SIGKILL loses no row: the rows wait in the spill folder', async () => {
  const server = await describeServer(['acme']);
  onTestFinished(() => server.close());
  const { url, writer } = server;
  const settings = {
    engine: 'clickhouse',
    url,
    ...writer,
    spill: join(server.folder, 'spill'),
  } as const;
  const random = seededRandom();
  const ids = [
    ...(await liveAndDie(settings, 3000 + random.below(3000))),
    ...(await liveAndDie(settings, 3000 + random.below(3000))),
  ];
  await server.start();
  await expectEach(settings, ids, random.seed);
});
