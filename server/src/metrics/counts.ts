import type { MetricName } from '@guard/config/contract/metrics';

/** How much a counter has grown. */
export type CounterIncrement = readonly [name: MetricName, label: string | undefined, by: number];

/** More values of a label than any metric should have. Further values count as `other`. */
const MAX_LABELS = 256;
const OTHER = 'other';

/**
 * What was counted since the last `take`. A request counts several times, so a count has to be cheap: it
 * is one lookup in a map.
 */
export class Counts {
  readonly #counts = new Map<MetricName, Map<string | undefined, { by: number }>>();

  count(name: MetricName, label?: string, by = 1): void {
    (this.#counts.get(name)?.get(label) ?? this.#add(name, label)).by += by;
  }

  /** What was counted since the last call. */
  take(): readonly CounterIncrement[] {
    const taken: CounterIncrement[] = [];
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
