import type { MetricName } from '@guard/config/contract/metrics';
import type { RedisLimits } from '../redis-link.ts';
import { RedisStore } from '../redis-store.ts';
import type { RedisServer } from '../../../../../test/kit/peers/redis-server.ts';

/** A store with its own connection, clock, log and metrics, as in a separate instance of Guard. */
export interface Instance {
  readonly store: RedisStore;
  /** The clock of this instance. */
  readonly time: { now: number };
  readonly log: { readonly event: string; readonly fields: string }[];
  /** The metrics that count, by name and label. */
  readonly counts: Map<string, number>;
  gauge(name: MetricName): number;
}

/** Opens an instance. Its clock stays at `now` until the test moves it. */
export async function openInstance(
  url: string,
  now = Date.now(),
  sentinels?: readonly string[],
  limits?: RedisLimits,
  budgets?: SharedArrayBuffer,
): Promise<Instance> {
  const time = { now };
  const log: Instance['log'] = [];
  const counts = new Map<string, number>();
  const gauges = new Map<MetricName, () => unknown>();
  const store = await RedisStore.open({
    url,
    sentinels,
    limits,
    budgets,
    clock: () => time.now,
    log: (_level, event, fields = {}) => log.push({ event, fields: JSON.stringify(fields) }),
    metrics: {
      count: (name, label = '') => {
        const key = `${name} ${label}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      },
      gauge: (name, read) => void gauges.set(name, read),
    },
  });
  return { store, time, log, counts, gauge: (name) => Number(gauges.get(name)?.()) };
}

/**
 * Opens an instance with long time limits, for tests that do not measure time. On a busy machine Redis can answer later
 * than a decision waits.
 */
export function openPatientInstance(
  url: string,
  now?: number,
  sentinels?: readonly string[],
  budgets?: SharedArrayBuffer,
): Promise<Instance> {
  return openInstance(url, now, sentinels, { connectMs: 20_000, commandMs: 20_000 }, budgets);
}

/** Opens one instance for each of these clocks, runs the test with them, and closes them. */
export async function withInstances(
  url: string,
  clocks: readonly number[],
  use: (...instances: [Instance, Instance, Instance]) => Promise<void>,
): Promise<void> {
  const instances = await Promise.all(clocks.map((now) => openPatientInstance(url, now)));
  try {
    await use(...(instances as [Instance, Instance, Instance]));
  } finally {
    await Promise.all(instances.map(({ store }) => store.close()));
  }
}

/** How many times Redis got this command since its start, or since its statistics were reset. */
export async function countCalls(redis: RedisServer, command: string): Promise<number> {
  const stats = await redis.ask<string>('INFO', 'commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}
