import type { Cookie } from '@guard/config/contract/validate-response';

/** How long a browser keeps `_guard`, in seconds. */
const COOKIE_MAX_AGE_S = 30 * 86_400;
/** How long a passed challenge is valid, in milliseconds. */
export const VERIFIED_TTL_MS = 24 * 3_600_000;
/**
 * How long a session stays rejected, in milliseconds. This time is shorter, so that a person who was rejected by
 * mistake can try again.
 */
export const REJECTED_TTL_MS = 3_600_000;

/**
 * The session cookie (contract 2.3). It is host-only. It has no HttpOnly, because the browser script reads it. It is
 * `Secure` only on https, because browsers drop a Secure cookie of a page on plain http.
 *
 * On https it is `SameSite=None`, because some POSTs are cross-site: the return from a payment provider, and a SAML
 * answer. Guard must recognise a passed visitor in such a POST, because the page does not send a form of another site
 * again after a challenge (request/form-source.ts). The cookie is no credential of the site. It only shows that Guard
 * has checked the browser. Browsers accept `None` only with `Secure`, so on http the cookie is `Lax`.
 */
export function sessionCookie(id: string, scheme: string): Cookie {
  const secure = scheme === 'https';
  return {
    name: '_guard',
    value: id,
    domain: '',
    path: '/',
    secure,
    same_site: secure ? 'None' : 'Lax',
    max_age: COOKIE_MAX_AGE_S,
  };
}
