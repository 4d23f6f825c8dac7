import type { Clock, Log } from '@guard/config/contract/ports';
import type { MetricsPage } from '../metrics/metrics.ts';

export interface ProcessContext {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
}

export type Close = () => Promise<void>;

/**
 * Closes everything in reverse order of opening, so that the gateway stops before the parts that it needs. When one
 * part fails to close, the others are still closed, so that the last events are written. Empties `closers`.
 */
export async function closeAll(closers: Close[], log: Log): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log('error', 'close_failed', { reason: String(error) });
    }
  }
}
