import type { Cookie } from '@guard/config/contract/validate-response';

/** How long a browser keeps `_guard`, in seconds. */
export const COOKIE_MAX_AGE_S = 30 * 86_400;
/** How long a passed challenge counts. */
export const VERIFIED_TTL_MS = 24 * 3_600_000;
/** How long a failed one does: shorter, so that somebody wrongly rejected can try again. */
export const REJECTED_TTL_MS = 3_600_000;

/**
 * The session cookie (spec 2.3): host-only, and without HttpOnly because the browser script mirrors
 * it. `Secure` follows the scheme of the visitor's URL: on plain http a browser would drop it.
 */
export function sessionCookie(id: string, scheme: string): Cookie {
  return {
    name: '_guard',
    value: id,
    domain: '',
    path: '/',
    secure: scheme === 'https',
    same_site: 'Lax',
    max_age: COOKIE_MAX_AGE_S,
  };
}
