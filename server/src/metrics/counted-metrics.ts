import type { MetricName } from '@guard/config/contract/metrics';
import { Counts } from './counts.ts';
import { createDistributions } from './distributions.ts';
import { createBusySeconds } from './event-loop.ts';
import { isOfEachThread, type MetricsPage, type Tally } from './metrics.ts';

type ReadGauge = Parameters<MetricsPage['gauge']>[1];

/**
 * The metrics of a worker thread, which all go up to the main thread a little later. Of gauges those go
 * that each thread has a value of its own for; the others show what is the same in every thread.
 */
export class CountedMetrics extends Counts implements MetricsPage {
  /** The page is shown by the main thread. */
  readonly contentType = '';
  readonly #distributions = createDistributions();
  readonly #gauges = new Map<MetricName, ReadGauge>();
  readonly #busySeconds = createBusySeconds();

  observe: MetricsPage['observe'] = (name, value) => {
    this.#distributions.observe(name, value);
  };

  gauge(name: MetricName, read: ReadGauge): void {
    if (isOfEachThread(name)) this.#gauges.set(name, read);
  }

  /** What the main thread has to know by now. */
  tally(): Tally {
    this.count('guard_event_loop_busy_seconds_total', 'workers', this.#busySeconds());
    const gauges = new Map<MetricName, number>();
    for (const [name, read] of this.#gauges) {
      const value = read();
      if (typeof value === 'number') gauges.set(name, value);
    }
    return { counts: this.take(), observed: this.#distributions.take(), gauges };
  }

  adopt(_thread: object, tally: Tally): void {
    for (const [name, label, by] of tally.counts) this.count(name, label, by);
    this.#distributions.add(tally.observed);
  }

  forget(): void {
    // No other thread tells this one of its gauges.
  }

  page(): Promise<string> {
    return Promise.resolve('');
  }
}
