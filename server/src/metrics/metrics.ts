import { type MetricName, metrics as table } from '@guard/config/contract/metrics';
import type { Metrics } from '@guard/config/contract/ports';
import { Counter, Gauge, Registry } from 'prom-client';
import { type CounterIncrement, Counts, DecisionDurations, type NewDurations } from './counts.ts';
import { createBusySeconds, registerProcessMetrics } from './process-metrics.ts';

/** The metrics of a worker thread: the counts since its last report, and its gauges. */
export interface MetricsReport {
  readonly counters: readonly CounterIncrement[];
  readonly durations: NewDurations | undefined;
  /** Only gauges that have no label and whose value differs between threads. */
  readonly gauges: ReadonlyMap<MetricName, number>;
}

export interface MetricsPage extends Metrics {
  observeDecision(seconds: number): void;
  /** Adds the report of a worker thread. The object `worker` identifies the thread as long as the thread runs. */
  addReport(worker: object, report: MetricsReport): void;
  /** Removes the gauges of a thread that has ended. The counters and durations of the thread stay. */
  removeWorker(worker: object): void;
  /** Resolves with the page in the Prometheus text format. */
  page(): Promise<string>;
  /** Resolves with counters and gauges by name and label, such as `guard_events_total{result="written"}`. */
  values(): Promise<Readonly<Record<string, number>>>;
  readonly contentType: string;
}

/**
 * Metrics with prom-client. Counting in prom-client is slow, so prom-client gets the counts only when the page is read.
 */
export function createMetrics(): MetricsPage {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const counters = registerCounters(registry);
  const counts = new Counts();
  const durations = new DecisionDurations();
  const workers = new Map<object, MetricsReport['gauges']>();
  const busySeconds = createBusySeconds();

  function increment([name, label, amount]: CounterIncrement): void {
    const labelName = table[name].label;
    const counter = counters.get(name);
    if (labelName === undefined || label === undefined) counter?.inc(amount);
    else counter?.inc({ [labelName]: label }, amount);
  }

  /** The highest value of a gauge in this thread and all workers. */
  function highestValue(name: MetricName, ownValue: number): number {
    const otherValues = [...workers.values()].map((gauges) => gauges.get(name) ?? ownValue);
    return Math.max(ownValue, ...otherValues);
  }

  function bringUpToDate(): void {
    counts.count('guard_event_loop_busy_seconds_total', 'main', busySeconds());
    counts.take().forEach(increment);
  }

  return {
    count(name, label, amount) {
      counts.count(name, label, amount);
    },
    observeDecision(seconds) {
      durations.observe(seconds);
    },
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
            this.set(isShared ? highestValue(name, value) : value);
            return;
          }
          // A label value that no longer exists must not stay on the page.
          this.reset();
          for (const [labelValue, number] of value)
            this.set({ [label ?? 'label']: labelValue }, number);
        },
      });
    },
    addReport(worker, report) {
      for (const [name, label, amount] of report.counters) counts.count(name, label, amount);
      if (report.durations) durations.add(report.durations);
      workers.set(worker, report.gauges);
    },
    removeWorker(worker) {
      workers.delete(worker);
    },
    async page() {
      bringUpToDate();
      return (await registry.metrics()) + durations.text();
    },
    async values() {
      bringUpToDate();
      const metricList = await registry.getMetricsAsJSON();
      return Object.fromEntries(
        metricList.flatMap(({ name, values }) =>
          values.map(({ labels, value }) => [name + labelText(labels), value]),
        ),
      );
    },
    contentType: registry.contentType,
  };
}

function labelText(labels: Readonly<Partial<Record<string, string | number>>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${String(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

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
      name as MetricName, // The cast is safe, because the keys of the table are the names.
      new Counter({ name, help, labelNames, registers: [registry] }),
    );
  }
  return counters;
}
