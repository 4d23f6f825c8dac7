import type { Log, Metrics } from '@guard/config/contract/ports';

/** Keeps metrics and log lines, so that a test can read them. */
export interface Recorders {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly lines: string[];
  /** The sum of all counts of a counter with this label. */
  counterValue(name: string, label?: string): number;
  /** Current value of a gauge. NaN when it was not registered. */
  gaugeValue(name: string): number;
}

export function createRecorders(): Recorders {
  const counters = new Map<string, number>();
  const gauges = new Map<string, Parameters<Metrics['gauge']>[1]>();
  const lines: string[] = [];
  const key = (name: string, label = ''): string => `${name}{${label}}`;
  return {
    metrics: {
      count: (name, label, amount = 1) => {
        counters.set(key(name, label), (counters.get(key(name, label)) ?? 0) + amount);
      },
      gauge: (name, read) => void gauges.set(name, read),
    },
    log: (level, event, fields) => lines.push(JSON.stringify({ level, event, ...fields })),
    lines,
    counterValue: (name, label) => counters.get(key(name, label)) ?? 0,
    gaugeValue: (name) => Number(gauges.get(name)?.() ?? NaN),
  };
}
