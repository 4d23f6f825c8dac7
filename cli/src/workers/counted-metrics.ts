import { Counts } from '../counts.ts';
import type { MetricsPage } from '../metrics.ts';

/**
 * The metrics of a worker thread: counters go up in the main thread, a little later. Gauges are the main
 * thread's alone: what they show is the same in every thread, or cannot be added up.
 */
export class CountedMetrics extends Counts implements MetricsPage {
  /** The page is shown by the main thread. */
  readonly contentType = '';

  gauge(): void {
    // See above.
  }

  page(): Promise<string> {
    return Promise.resolve('');
  }
}
