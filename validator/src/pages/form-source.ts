import { referrerOrigin } from '@guard/config/contract/referrer-origin';

/** Where the form came from whose submission meets a challenge. */
export type FormSource =
  /** There is no form: GET or HEAD. */
  | 'none'
  /** A page of the same origin: the browser may send it again from here. */
  | 'own'
  /** Another origin, or one that cannot be told. */
  | 'foreign';

/**
 * Tells a form of the site's own from a foreign one. It decides what the challenge page does after
 * a pass: Chromium's location.reload() sends a POST again as if this page had been its source, with
 * the site as `Origin`, `Sec-Fetch-Site: same-origin` and all SameSite cookies. A foreign form sent
 * again that way would be a forgery (CSRF) that Guard had made possible, so only an own one is.
 *
 * Sec-Fetch-Site is believed first: page scripts cannot set it. Without it, `Origin`, then `Referer`.
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
  const own = [url.host, headers['host']?.toLowerCase() ?? url.host];
  return own.some((host) => source === `${url.scheme}://${host}`) ? 'own' : 'foreign';
}
