import type { MetricName } from '@guard/config/contract/metrics';
import type { MetricsPage } from '../metrics.ts';
import type { Counted } from './messages.ts';

/**
 * The metrics of a worker thread: counters go up in the main thread, a little later. Gauges are the main
 * thread's alone: what they show is the same in every thread, or cannot be added up.
 */
export class CountedMetrics implements MetricsPage {
  /** The page is shown by the main thread. */
  readonly contentType = '';

  readonly #counts = new Map<MetricName, Map<string | undefined, number>>();

  count(name: MetricName, label?: string, by = 1): void {
    let labels = this.#counts.get(name);
    if (labels === undefined) {
      labels = new Map();
      this.#counts.set(name, labels);
    }
    labels.set(label, (labels.get(label) ?? 0) + by);
  }

  gauge(): void {
    // See above.
  }

  page(): Promise<string> {
    return Promise.resolve('');
  }

  /** What was counted since the last time. */
  take(): readonly Counted[] {
    const counts: Counted[] = [];
    for (const [name, labels] of this.#counts) {
      for (const [label, by] of labels) if (by > 0) counts.push([name, label, by]);
      for (const label of labels.keys()) labels.set(label, 0);
    }
    return counts;
  }
}
