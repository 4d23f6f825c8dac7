import { type MetricName, metrics as table } from '@guard/config/contract/metrics';
import type { Metrics } from '@guard/config/contract/ports';
import { Counter, Gauge, Registry } from 'prom-client';

export interface MetricsPage extends Metrics {
  /** The Prometheus text format. */
  page(): Promise<string>;
  readonly contentType: string;
}

/** Metrics by prom-client. A label value's counter is looked up once and then kept. */
export function createMetrics(): MetricsPage {
  const registry = new Registry();
  const counters = new Map<MetricName, Counter>();
  const children = new Map<MetricName, Map<string, { inc(by: number): void }>>();
  for (const [name, { kind, label, help }] of Object.entries(table)) {
    if (kind !== 'counter') continue;
    const labelNames = label === undefined ? [] : [label];
    counters.set(
      name as MetricName, // the keys of the table are the names
      new Counter({ name, help, labelNames, registers: [registry] }),
    );
  }
  return {
    count(name, label, by = 1) {
      let child = children.get(name)?.get(label ?? '');
      if (!child) {
        const counter = counters.get(name);
        if (!counter) return;
        const labelName = table[name].label;
        child =
          labelName === undefined || label === undefined
            ? counter
            : counter.labels({ [labelName]: label });
        const known = children.get(name) ?? new Map<string, { inc(by: number): void }>();
        children.set(name, known.set(label ?? '', child));
      }
      child.inc(by);
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
    page: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
