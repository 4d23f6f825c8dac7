import type { Clock, Log } from '@guard/config/contract/ports';
import type { MetricsPage } from '../metrics/metrics.ts';

/** What each part of the process needs: log, clock, metrics. */
export interface ProcessContext {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
}

/** Closes something that was opened. */
export type Close = () => Promise<void>;

/**
 * Closes everything in reverse order of opening: the gateway stops before the parts that it needs. If one
 * fails to close, the others are still closed, so that the last events are written. Empties `opened`.
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
