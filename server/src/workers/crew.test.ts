import type { Session } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../../../test/kit/http.ts';
import { noAnalytics } from '../events/no-analytics.ts';
import { CountedMetrics } from '../metrics/counted-metrics.ts';
import { Crew } from './crew.ts';

const session: Session = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  userAgentHash: 'of an agent',
  network: '192.0.2.0/24',
  client: '',
  judgedAt: 0,
};
// The odd thread looks at no setting.
const settings = {} as Settings;

function crewOf(workers: number) {
  const logged: string[] = [];
  const metrics = new CountedMetrics();
  const program = new URL('./testing/odd-thread.ts', import.meta.url);
  const log = (_level: string, event: string, fields?: object): void => {
    logged.push(`${event} ${JSON.stringify(fields)}`);
  };
  const time = { now: Date.now() };
  const crew = new Crew(workers, { clock: () => time.now, log, metrics }, program);
  onTestFinished(() => crew.close());
  const begin = (gateway = 'here') =>
    crew.begin({ settings, addresses: { gateway }, analytics: noAnalytics(metrics) });
  /** Sessions that the threads know of, all together: a reload makes the odd ones tell. */
  const known = async (): Promise<number> => {
    metrics.take();
    await crew.reload(settings);
    return metrics
      .take()
      .filter(([name]) => name === 'guard_events_total')
      .reduce((sum, [, , by]) => sum + by, 0);
  };
  return { crew, begin, known, logged, metrics, time };
}

test('a session that is kept here is known to every worker when keeping it is over', async () => {
  const { crew, begin, known } = crewOf(3);
  await begin();
  await crew.store.keepSession('a', session, 60_000);
  expect(await known()).toBe(3);
});

test('a worker that ends unasked is logged, begun again, and told every session', async () => {
  const { crew, begin, known, logged, metrics } = crewOf(1);
  await begin();
  await crew.store.keepSession('a', session, 60_000);
  await crew.store.keepSession('crash', session, 60_000);
  await poll(
    () => Promise.resolve(logged),
    (lines) => lines.length > 0,
    5_000,
  );
  expect(logged[0]).toContain('worker_ended');
  expect(logged[0]).toContain('odd thread');
  expect(metrics.take()).toContainEqual(['guard_workers_restarted_total', undefined, 1]);
  await poll(known, (sessions) => sessions === 2, 5_000);
});

test('it is begun again later each time, and soon where the last end is long ago', async () => {
  const { crew, begin, known, logged, time } = crewOf(1);
  await begin();
  const waits = () =>
    logged.flatMap((line) => /^worker_ended .*"againInMs":(\d+)/.exec(line)?.[1] ?? []);
  const crash = async (times: number) => {
    await crew.store.keepSession('crash', session, 600_000);
    await poll(
      () => Promise.resolve(waits().length),
      (ends) => ends === times,
      5_000,
    );
    await poll(known, (sessions) => sessions > 0, 5_000);
  };
  await crash(1);
  time.now += 61_000;
  await crash(2);
  await crash(3);
  expect(waits()).toEqual(['500', '500', '1000']);
});

test('a worker that hangs does not hold up a visitor for ever', async () => {
  const { crew, begin } = crewOf(1);
  await begin();
  await crew.store.keepSession('hang', session, 60_000);
  expect(crew.store.session('hang')).toBeDefined();
});

test('a worker that cannot follow new settings is logged with its reason', async () => {
  const { crew, begin, logged } = crewOf(1);
  await begin();
  await crew.reload(settings);
  expect(logged).toEqual(['worker_reload_failed {"reason":"cannot"}']);
});

test('a worker that cannot begin is the reason why the start ends', async () => {
  await expect(crewOf(2).begin('nowhere')).rejects.toThrow('no such address');
});
