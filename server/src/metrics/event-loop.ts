import { performance } from 'node:perf_hooks';

/**
 * Returns a function that says how long the event loop of this thread was busy since its last call, in
 * seconds. The first call counts from the start of the thread. A loop that is nearly always busy lets
 * requests wait for each other.
 */
export function createBusySeconds(): () => number {
  let lastMs = 0;
  return () => {
    const { active: activeMs } = performance.eventLoopUtilization();
    const seconds = (activeMs - lastMs) / 1000;
    lastMs = activeMs;
    return Math.max(0, seconds);
  };
}
