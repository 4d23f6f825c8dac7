import { referrerOrigin } from '@guard/config/contract/referrer-origin';

/** The source of a form whose submission is challenged. */
export type FormSource =
  /** There is no form: GET or HEAD. */
  | 'none'
  /** The form is on a page of the same origin. The browser may send it again from the challenge page. */
  | 'own'
  /** The form is on a page of another origin, or of an unknown origin. */
  | 'foreign';

/**
 * Distinguishes a form of the site itself from a foreign one, for the time after the pass. Chromium's location.reload()
 * sends a POST again as if the challenge page were its source: with the site as `Origin`, `Sec-Fetch-Site: same-origin`
 * and all SameSite cookies. With a foreign form this would be a forgery (CSRF), so only a form of the site itself is
 * sent again.
 *
 * Sec-Fetch-Site is read first, because page scripts cannot set it. Without it, `Origin` is read, then `Referer`.
 */
export function formSource(request: {
  readonly method: string;
  readonly url: { readonly scheme: string; readonly host: string };
  readonly headers: Readonly<Record<string, string>>;
}): FormSource {
  const { method, url, headers } = request;
  if (method === 'GET' || method === 'HEAD') return 'none';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const source = headers['origin']?.toLowerCase() ?? referrerOrigin(headers['referer']);
  const ownHosts = [url.host, headers['host']?.toLowerCase() ?? url.host];
  return ownHosts.some((host) => source === `${url.scheme}://${host}`) ? 'own' : 'foreign';
}
