import { randomText } from '../session/random-text.ts';

/** A new nonce for one response, with at least 128 bits (CSP 3 section 2.3.1). Base64url needs no escaping. */
export function newNonce(): string {
  return randomText(24);
}

/** Three of these headers forbid caching, because some caches read only their own header. */
export const DENIAL_HEADERS = {
  'Cache-Control': 'no-store',
  'CDN-Cache-Control': 'no-store',
  'Surrogate-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

const ANY_PAGE = {
  ...DENIAL_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'same-origin',
  Vary: 'Cookie, Accept, Accept-Language',
};

/**
 * The headers of an organisation's own page. The policy allows styles, scripts and images from anywhere. It forbids
 * plug-ins, a base URL of another origin, and frames on pages of other origins.
 */
export const OWN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...ANY_PAGE,
  'Content-Security-Policy': "base-uri 'self'; object-src 'none'; frame-ancestors 'self'",
};

/**
 * The headers of a challenge in a frame. A page with a Cross-Origin-Embedder-Policy shows only frames that have this
 * policy too. A frame from another host of the site also needs a Cross-Origin-Resource-Policy.
 */
const IN_A_FRAME = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-site',
};

/**
 * The headers of a page of Guard. The Content-Security-Policy allows only the page's own style and the `cspAddition`.
 * `embedder` is an additional origin whose pages can show the page in a frame. It is empty for no additional origin,
 * and undefined for a page in a tab. `form-action` is 'self', because Chromium treats the reload of a page that
 * answered a POST as a form submission.
 */
export function pageHeaders(
  nonce: string,
  cspAddition: string,
  embedder?: string,
): Record<string, string> {
  const ancestors = embedder ? `'self' ${embedder}` : "'self'";
  return {
    ...ANY_PAGE,
    ...(embedder === undefined ? {} : IN_A_FRAME),
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}${cspAddition}`,
  };
}
