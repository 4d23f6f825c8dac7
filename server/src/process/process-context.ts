import type { Clock, Log } from '@guard/config/contract/ports';
import type { MetricsPage } from '../metrics/metrics.ts';

/** What each part of the process gets: where to log, what time it is, where to count. */
export interface ProcessContext {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
}
