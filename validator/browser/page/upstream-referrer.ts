import { forget, remember } from './tab-storage.ts';

const STORAGE_KEY = '_guard_ref';

/**
 * Contract 2.8: stores the origin (scheme and host) of the previous page in `_guard_ref`, if it is another origin. The
 * old value is removed at the start of each run. The value is never sent to the server.
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
