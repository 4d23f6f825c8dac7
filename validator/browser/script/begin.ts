import { whenVisited } from '../page/when-visited.ts';

/** Longest delay by a busy page, in milliseconds. Callers wait about two seconds for the script. */
const MAX_IDLE_MS = 1000;

/**
 * Calls back when it costs the page nothing: visited and not only rendered ahead, loaded, and idle.
 * A listener on `load` is no obstacle to the back/forward cache; one on `unload` would be.
 */
export function begin(callback: () => void): void {
  whenVisited(() => whenIdle(callback));
}

function whenIdle(next: () => void): void {
  try {
    requestIdleCallback(next, { timeout: MAX_IDLE_MS });
  } catch {
    // Most versions of Safari do not have it, and a page's own replacement may be broken.
    setTimeout(next, 1);
  }
}
