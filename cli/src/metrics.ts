import { type MetricName, metrics as table } from '@guard/config/contract/metrics';
import type { Metrics } from '@guard/config/contract/ports';
import { Counter, Gauge, Registry } from 'prom-client';
import { type Counted, Counts } from './counts.ts';

export interface MetricsPage extends Metrics {
  /** The Prometheus text format. */
  page(): Promise<string>;
  readonly contentType: string;
}

/** Metrics by prom-client, which checks a good deal at each count: it hears of them when the page is asked for. */
export function createMetrics(): MetricsPage {
  const registry = new Registry();
  const counters = new Map<MetricName, Counter>();
  const counts = new Counts();
  for (const [name, { kind, label, help }] of Object.entries(table)) {
    if (kind !== 'counter') continue;
    const labelNames = label === undefined ? [] : [label];
    counters.set(
      name as MetricName, // the keys of the table are the names
      new Counter({ name, help, labelNames, registers: [registry] }),
    );
  }

  function tell([name, label, by]: Counted): void {
    const labelName = table[name].label;
    const counter = counters.get(name);
    if (labelName === undefined || label === undefined) counter?.inc(by);
    else counter?.inc({ [labelName]: label }, by);
  }

  return {
    count(name, label, by) {
      counts.count(name, label, by);
    },
    gauge(name, read) {
      const { label, help } = table[name];
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        collect() {
          const value = read();
          if (typeof value === 'number') {
            this.set(value);
            return;
          }
          // What is gone by now must not be shown for ever.
          this.reset();
          for (const [child, number] of value) this.set({ [label ?? 'label']: child }, number);
        },
      });
    },
    page() {
      counts.take().forEach(tell);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
