import { type MetricName, type MetricOf, metrics as table } from '@guard/config/contract/metrics';
import type { Metrics } from '@guard/config/contract/ports';
import { Counter, Gauge, Registry } from 'prom-client';
import { type Counted, Counts } from './counts.ts';
import { createDistributions } from './distributions.ts';
import type { Observed } from './distribution.ts';
import { createBusySeconds } from './event-loop.ts';
import { registerProcessMetrics } from './process-metrics.ts';

/** What a worker thread has counted and seen since it last told. */
export interface Tally {
  readonly counts: readonly Counted[];
  readonly observed: readonly (readonly [name: MetricOf<'histogram'>, observed: Observed])[];
  /** As they are now: gauges that have no label, and are of each thread. */
  readonly gauges: ReadonlyMap<MetricName, number>;
}

export interface MetricsPage extends Metrics {
  /** Takes one value of a histogram, in the unit of its name. */
  observe(name: MetricOf<'histogram'>, value: number): void;
  /** Takes over what a worker thread tells; `thread` stands for it until it has ended. */
  adopt(thread: object, tally: Tally): void;
  /** The thread has ended: what it counted stays, its gauges do not. */
  forget(thread: object): void;
  /** The Prometheus text format. */
  page(): Promise<string>;
  readonly contentType: string;
}

/** Metrics by prom-client, which checks a good deal at each count: it hears of them when the page is asked for. */
export function createMetrics(): MetricsPage {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const counters = registerCounters(registry);
  const counts = new Counts();
  const distributions = createDistributions();
  const threads = new Map<object, Tally['gauges']>();
  const busySeconds = createBusySeconds();

  function tell([name, label, by]: Counted): void {
    const labelName = table[name].label;
    const counter = counters.get(name);
    if (labelName === undefined || label === undefined) counter?.inc(by);
    else counter?.inc({ [labelName]: label }, by);
  }

  /** Of this thread's value and those that workers told. */
  function highest(name: MetricName, own: number): number {
    const others = [...threads.values()].map((gauges) => gauges.get(name) ?? own);
    return Math.max(own, ...others);
  }

  return {
    count(name, label, by) {
      counts.count(name, label, by);
    },
    observe: distributions.observe,
    gauge(name, read) {
      const { label, help } = table[name];
      const isShared = isOfEachThread(name);
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        collect() {
          const value = read();
          if (typeof value === 'number') {
            this.set(isShared ? highest(name, value) : value);
            return;
          }
          // What is gone by now must not be shown for ever.
          this.reset();
          for (const [child, number] of value) this.set({ [label ?? 'label']: child }, number);
        },
      });
    },
    adopt(thread, tally) {
      for (const [name, label, by] of tally.counts) counts.count(name, label, by);
      distributions.add(tally.observed);
      threads.set(thread, tally.gauges);
    },
    forget(thread) {
      threads.delete(thread);
    },
    async page() {
      counts.count('guard_event_loop_busy_seconds_total', 'main', busySeconds());
      counts.take().forEach(tell);
      return (await registry.metrics()) + distributions.text();
    },
    contentType: registry.contentType,
  };
}

/** Whether workers have a value of their own, which counts as much as the main thread's. */
export function isOfEachThread(name: MetricName): boolean {
  const entry = table[name];
  return entry.kind === 'gauge' && 'threads' in entry;
}

function registerCounters(registry: Registry): ReadonlyMap<MetricName, Counter> {
  const counters = new Map<MetricName, Counter>();
  for (const [name, { kind, label, help }] of Object.entries(table)) {
    if (kind !== 'counter') continue;
    const labelNames = label === undefined ? [] : [label];
    counters.set(
      name as MetricName, // the keys of the table are the names
      new Counter({ name, help, labelNames, registers: [registry] }),
    );
  }
  return counters;
}
