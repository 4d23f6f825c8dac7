import { whenVisited } from '../page/when-visited.ts';

/** Longest delay by a busy page, in milliseconds. Callers wait about two seconds for the script. */
const MAX_IDLE_MS = 1000;

/**
 * Calls back when it does not delay the page: the page is visited and not only prerendered, it has loaded, and it is
 * idle. A listener on `load` does not prevent the back/forward cache; a listener on `unload` would.
 */
export function begin(callback: () => void): void {
  whenVisited(() => whenIdle(callback));
}

function whenIdle(callback: () => void): void {
  try {
    requestIdleCallback(callback, { timeout: MAX_IDLE_MS });
  } catch {
    // Most versions of Safari do not have it, and a page's own replacement may be broken.
    setTimeout(callback, 1);
  }
}
