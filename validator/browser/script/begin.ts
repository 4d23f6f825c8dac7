import { whenVisited } from '../page/when-visited.ts';

/**
 * Longest wait until a busy page is idle, in milliseconds. Programs that use the script wait about two seconds for its
 * result.
 */
const MAX_IDLE_MS = 1000;

/**
 * Calls back when the work does not delay the page: the page is visited and not only prerendered, it has loaded, and it
 * is idle. It listens to `load` and not to `unload`, which would prevent the back/forward cache.
 */
export function begin(callback: () => void): void {
  whenVisited(() => whenIdle(callback));
}

function whenIdle(callback: () => void): void {
  try {
    requestIdleCallback(callback, { timeout: MAX_IDLE_MS });
  } catch {
    // Most versions of Safari do not have this function, and a page's own replacement can be broken.
    setTimeout(callback, 1);
  }
}
