import { forget, remember } from './tab-storage.ts';

const KEY = '_guard_ref';

/**
 * Contract 2.8: `_guard_ref` holds the origin (scheme and host) of the page a visitor came from, only
 * when that is another origin. Removed at the start of each run, and never sent to the server.
 */
export function keepUpstreamReferrer(): void {
  forget(KEY);
  try {
    const { protocol, origin } = new URL(document.referrer);
    if (/^https?:$/.test(protocol) && origin !== location.origin) remember(KEY, origin);
  } catch {
    // No referrer, or one that is no URL.
  }
}
