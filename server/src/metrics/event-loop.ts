import { performance } from 'node:perf_hooks';

/**
 * How long the event loop of this thread had something to do since the last call, or since it began: in
 * seconds. While that is nearly all of the time, requests wait for each other.
 */
export function createBusySeconds(): () => number {
  let toldMs = 0;
  return () => {
    const { active: activeMs } = performance.eventLoopUtilization();
    const seconds = (activeMs - toldMs) / 1000;
    toldMs = activeMs;
    return Math.max(0, seconds);
  };
}
