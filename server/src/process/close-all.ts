import type { Log } from '@guard/config/contract/ports';

export type Closer = () => Promise<void>;

/**
 * Last opened, first closed: the gateway stops taking visitors before anything it needs goes. What
 * fails to close must not keep the rest open, least of all the events that are still to be written.
 */
export async function closeAll(opened: Closer[], log: Log): Promise<void> {
  for (const close of opened.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log('error', 'close_failed', { reason: String(error) });
    }
  }
}
