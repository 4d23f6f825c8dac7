import { randomText } from '../session/random-text.ts';

/** A fresh nonce for one response (CSP 3, 2.3.1: at least 128 bits). Base64url needs no escaping. */
export function newNonce(): string {
  return randomText(24);
}

/** Caches are told thrice: some read a header of their own. */
const ANY_PAGE = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'CDN-Cache-Control': 'no-store',
  'Surrogate-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
  'Referrer-Policy': 'same-origin',
  Vary: 'Cookie, Accept, Accept-Language',
};

/**
 * The headers of a page of the user's own. It may have styles, scripts and images from where it likes; no plug-in, no
 * other base for its links, and no frame of another site around it.
 */
export const OWN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...ANY_PAGE,
  'Content-Security-Policy': "base-uri 'self'; object-src 'none'; frame-ancestors 'self'",
};

/**
 * The headers of a page of ours. `policy` is added to a Content-Security-Policy that allows nothing
 * but the page's own style; `form-action` is 'self' because Chromium takes the reload of a page that
 * answered a POST for a form submission.
 */
export function pageHeaders(nonce: string, policy: string): Record<string, string> {
  return {
    ...ANY_PAGE,
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'${policy}`,
  };
}
