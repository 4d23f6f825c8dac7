import { forget, remember } from './tab-storage.ts';

const STORAGE_KEY = '_guard_ref';

/**
 * Contract 2.8: stores in `_guard_ref` the origin (scheme and host) of the page that the visitor came from, if it is
 * another origin. It is removed at the start of each run, and never sent to the server.
 */
export function keepUpstreamReferrer(): void {
  forget(STORAGE_KEY);
  try {
    const { protocol, origin } = new URL(document.referrer);
    if (/^https?:$/.test(protocol) && origin !== location.origin) remember(STORAGE_KEY, origin);
  } catch {
    // There is no referrer, or it is not a URL.
  }
}
