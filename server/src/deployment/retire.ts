import type { Log } from '@guard/config/contract/ports';
import type { Deployment } from './deployment.ts';

/** Added to the time of the longest question, for an answer that arrives in the last moment. */
const GRACE_MS = 1_000;

/**
 * Closes a deployment that was replaced, when all its questions to remote validators must have ended. The
 * timer does not keep the process alive: a process that ends needs to close no deployment.
 */
export function retire(deployment: Deployment, log: Log): void {
  const timer = setTimeout(() => {
    deployment.close().catch((error: unknown) => {
      log('error', 'close_failed', { reason: String(error) });
    });
  }, deployment.longestQuestionMs + GRACE_MS);
  timer.unref();
}
