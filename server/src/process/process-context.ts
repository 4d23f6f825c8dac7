import type { Clock, Log } from '@guard/config/contract/ports';
import type { MetricsPage } from '../metrics/metrics.ts';

/** What each part of the process gets: where to log, what time it is, where to count. */
export interface ProcessContext {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
}

/** Closes one thing that was opened. */
export type Close = () => Promise<void>;

/**
 * Closes everything, the last opened first: the gateway stops taking visitors before the parts that it
 * needs are closed. When one fails to close, the others are closed all the same. Otherwise the last events
 * would not be written. Empties `opened`.
 */
export async function closeAll(opened: Close[], log: Log): Promise<void> {
  for (const close of opened.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log('error', 'close_failed', { reason: String(error) });
    }
  }
}
