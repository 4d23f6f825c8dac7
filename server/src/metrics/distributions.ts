import { type MetricOf, metrics } from '@guard/config/contract/metrics';
import { Distribution, type Observed } from './distribution.ts';

type Histogram = MetricOf<'histogram'>;
type ObservedOf = readonly [name: Histogram, observed: Observed];

export interface Distributions {
  readonly observe: (name: Histogram, value: number) => void;
  readonly add: (observed: readonly ObservedOf[]) => void;
  /** What was observed since the last time. */
  readonly take: () => readonly ObservedOf[];
  /** All of them, in the Prometheus text format. */
  readonly text: () => string;
}

/** One distribution for each histogram of the contract. */
export function createDistributions(): Distributions {
  const duration = 'guard_decision_duration_seconds';
  const all: Readonly<Record<Histogram, Distribution>> = {
    [duration]: new Distribution(metrics[duration].buckets),
  };
  const names = Object.keys(all) as Histogram[]; // the keys of the record above
  return {
    observe: (name, value) => {
      all[name].observe(value);
    },
    add: (observed) => {
      for (const [name, values] of observed) all[name].add(values);
    },
    take: () =>
      names.flatMap((name): ObservedOf[] => {
        const observed = all[name].take();
        return observed ? [[name, observed]] : [];
      }),
    text: () => names.map((name) => all[name].text(name, metrics[name].help)).join(''),
  };
}
