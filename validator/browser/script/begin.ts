/** Longest time that a busy page can put the script off, in milliseconds. Callers wait about two seconds for it. */
const MAX_IDLE_MS = 1000;

/**
 * Calls back when it costs the page nothing: visited and not only rendered ahead, loaded, and idle.
 * A listener on `load` is no obstacle to the back/forward cache; one on `unload` would be.
 */
export function begin(callback: () => void): void {
  whenVisited(() => whenLoaded(() => whenIdle(callback)));
}

function whenVisited(next: () => void): void {
  // Only Chromium knows it, and TypeScript's document does not.
  const { prerendering } = document as Document & { readonly prerendering?: boolean };
  if (prerendering === true) {
    document.addEventListener('prerenderingchange', next, { once: true });
  } else {
    next();
  }
}

function whenLoaded(next: () => void): void {
  if (document.readyState === 'complete') next();
  else addEventListener('load', next, { once: true });
}

function whenIdle(next: () => void): void {
  try {
    requestIdleCallback(next, { timeout: MAX_IDLE_MS });
  } catch {
    // Most versions of Safari have none, and a page's own stand-in may be broken.
    setTimeout(next, 1);
  }
}
