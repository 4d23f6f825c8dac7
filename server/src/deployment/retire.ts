import type { Log } from '@guard/config/contract/ports';
import type { Generation } from './generation.ts';

/** Added to the time of the longest question, for the answer that arrives in its last moment. */
const GRACE_MS = 1_000;

/**
 * Closes a generation that has been replaced, as soon as no question that began under it can be under
 * way. The process does not wait for it: what is left when that ends needs no closing.
 */
export function retire(generation: Generation, log: Log): void {
  const timer = setTimeout(() => {
    generation.close().catch((error: unknown) => {
      log('error', 'close_failed', { reason: String(error) });
    });
  }, generation.longestQuestionMs + GRACE_MS);
  timer.unref();
}
