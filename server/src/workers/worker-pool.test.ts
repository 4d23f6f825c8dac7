import type { Session } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../../../test/kit/http.ts';
import { noAnalytics } from '../events/no-analytics.ts';
import { WorkerMetrics } from '../metrics/worker-metrics.ts';
import { WorkerPool } from './worker-pool.ts';

const session: Session = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  userAgentHash: 'of an agent',
  network: '192.0.2.0/24',
  client: '',
  judgedAt: 0,
};
// The scripted worker reads no settings. But the pool needs settings for a reload.
const settings = { organisations: [], sites: [] } as unknown as Settings;

function poolOf(size: number) {
  const logLines: string[] = [];
  const metrics = new WorkerMetrics();
  const program = new URL('./testing/scripted-worker.ts', import.meta.url);
  const log = (_level: string, event: string, fields?: object): void => {
    logLines.push(`${event} ${JSON.stringify(fields)}`);
  };
  const time = { now: Date.now() };
  const pool = new WorkerPool(size, { clock: () => time.now, log, metrics }, program);
  onTestFinished(() => pool.close());
  const start = (gateway = 'here') =>
    pool.start({ settings, addresses: { gateway }, analytics: noAnalytics(metrics) });
  /** The sum of the sessions in all threads. Scripted workers report their number after a reload. */
  const countKnownSessions = async (): Promise<number> => {
    metrics.take();
    await pool.reload({ settings, revision: '' });
    return metrics
      .take()
      .filter(([name]) => name === 'guard_events_total')
      .reduce((sum, [, , by]) => sum + by, 0);
  };
  return { pool, start, known: countKnownSessions, logLines, metrics, time };
}

test('a session in the store reaches every worker', async () => {
  const { pool, start, known } = poolOf(3);
  await start();
  await pool.store.keepSession('a', session, 60_000);
  expect(await known()).toBe(3);
});

test('a worker that crashes is logged, starts again, and gets every session', async () => {
  const { pool, start, known, logLines, metrics } = poolOf(1);
  await start();
  await pool.store.keepSession('a', session, 60_000);
  await pool.store.keepSession('crash', session, 60_000);
  await poll(
    () => Promise.resolve(logLines),
    (lines) => lines.length > 0,
  );
  expect(logLines[0]).toContain('worker_ended');
  expect(logLines[0]).toContain('scripted crash');
  expect(metrics.take()).toContainEqual(['guard_workers_restarted_total', undefined, 1]);
  await poll(known, (sessions) => sessions === 2);
});

test('each new crash makes the delay of the restart longer, until a long time passes without a crash', async () => {
  const { pool, start, known, logLines, time } = poolOf(1);
  await start();
  const untilEnds = () =>
    logLines.flatMap((line) => /^worker_ended .*"againInMs":(\d+)/.exec(line)?.[1] ?? []);
  const crash = async (times: number) => {
    await pool.store.keepSession('crash', session, 600_000);
    await poll(
      () => Promise.resolve(untilEnds().length),
      (ends) => ends === times,
    );
    await poll(known, (sessions) => sessions > 0);
  };
  await crash(1);
  time.now += 61_000;
  await crash(2);
  await crash(3);
  expect(untilEnds()).toEqual(['500', '500', '1000']);
});

test('a visitor does not wait for a worker that hangs', async () => {
  const { pool, start } = poolOf(1);
  await start();
  await pool.store.keepSession('hang', session, 60_000);
  expect(pool.store.session('hang')).toBeDefined();
});

test('a worker that cannot apply new settings is logged with the reason, and starts again with these settings', async () => {
  const { pool, start, known, logLines, metrics } = poolOf(2);
  await start();
  const newSettings: Settings = { ...settings, observe: true };
  expect(await pool.reload({ settings: newSettings, revision: 'faulty' })).toBe(2);
  const failureLines = logLines.filter((line) => line.startsWith('worker_reload_failed'));
  expect(failureLines).toEqual(Array(2).fill('worker_reload_failed {"reason":"cannot"}'));
  await pool.store.keepSession('a', session, 60_000);
  const settingsOfNext = async () => {
    await pool.reload({ settings: newSettings, revision: '' });
    return metrics
      .take()
      .flatMap(([name, label, by]) => (name === 'guard_decisions_total' ? [[label, by]] : []));
  };
  await poll(settingsOfNext, (values) => String(values) === 'observe true,2');
  expect(await known()).toBe(2);
});

test('when a worker cannot start, the start fails with its reason', async () => {
  await expect(poolOf(2).start('nowhere')).rejects.toThrow('no such address');
});
