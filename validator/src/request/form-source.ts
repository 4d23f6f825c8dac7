import { referrerOrigin } from '@guard/config/contract/referrer-origin';

/** The source of a form whose submission is challenged. */
export type FormSource =
  /** There is no form: GET or HEAD. */
  | 'none'
  /** The form is on a page of the same origin. The challenge page can make the browser send it again. */
  | 'own'
  /** The form is on a page of another origin, or of an unknown origin. */
  | 'foreign';

/**
 * Finds out whether a challenged form is from the site itself. Only such a form is sent again after the pass.
 * Chromium's location.reload() sends a POST again as if the challenge page were its source: with the site as `Origin`,
 * `Sec-Fetch-Site: same-origin` and all SameSite cookies. For a foreign form this would be a forgery (CSRF).
 *
 * Sec-Fetch-Site has priority, because page scripts cannot set it. Without this field, `Origin` decides, and without
 * `Origin`, `Referer`.
 */
export function formSource(request: {
  readonly method: string;
  readonly url: { readonly scheme: string; readonly host: string };
  readonly headers: Readonly<Record<string, string>>;
}): FormSource {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return 'none';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const source = headers['origin'] ?? referrerOrigin(headers['referer']);
  return isOwnOrigin(source, request) ? 'own' : 'foreign';
}

/** Whether an origin is that of the requested URL. Undefined is not. */
export function isOwnOrigin(
  origin: string | undefined,
  {
    url,
    headers,
  }: {
    readonly url: { readonly scheme: string; readonly host: string };
    readonly headers: Readonly<Record<string, string>>;
  },
): boolean {
  const ownHosts = [url.host, headers['host']?.toLowerCase() ?? url.host];
  return ownHosts.some((host) => origin?.toLowerCase() === `${url.scheme}://${host}`);
}
