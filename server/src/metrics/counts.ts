import type { MetricName } from '@guard/config/contract/metrics';

/** How much a counter went up. */
export type Counted = readonly [name: MetricName, label: string | undefined, by: number];

/** More values of a label than any metric should have. What comes behind them counts as `other`. */
const MAX_LABELS = 256;
const OTHER = 'other';

/** Counters between two looks at them: a request counts several times, and nobody looks as often. */
export class Counts {
  readonly #counts = new Map<MetricName, Map<string | undefined, { by: number }>>();

  count(name: MetricName, label?: string, by = 1): void {
    (this.#counts.get(name)?.get(label) ?? this.#add(name, label)).by += by;
  }

  /** What was counted since the last time. */
  take(): readonly Counted[] {
    const taken: Counted[] = [];
    for (const [name, labels] of this.#counts) {
      for (const [label, count] of labels) {
        if (count.by > 0) taken.push([name, label, count.by]);
        count.by = 0;
      }
    }
    return taken;
  }

  #add(name: MetricName, label: string | undefined): { by: number } {
    const labels = this.#counts.get(name) ?? new Map<string | undefined, { by: number }>();
    this.#counts.set(name, labels);
    const key = labels.size < MAX_LABELS ? label : OTHER;
    const count = labels.get(key) ?? { by: 0 };
    labels.set(key, count);
    return count;
  }
}
