import type { Cookie } from '@guard/config/contract/validate-response';

/** How long a browser keeps `_guard`, in seconds. */
const COOKIE_MAX_AGE_S = 30 * 86_400;
/** How long a passed challenge counts. */
export const VERIFIED_TTL_MS = 24 * 3_600_000;
/** How long a failed challenge counts. It is shorter, so that a person who was rejected by mistake can try again. */
export const REJECTED_TTL_MS = 3_600_000;

/**
 * The session cookie (contract 2.3). It is host-only. It has no HttpOnly, because the browser script reads it. It is
 * `Secure` on https only, because on plain http a browser would drop it.
 *
 * On https it is `SameSite=None`. The return from a payment provider and a SAML answer are cross-site POSTs. On such a
 * POST, too, Guard must recognise a visitor who has passed: a form of another site is not sent again after a challenge
 * (request/form-source.ts). The cookie is no credential of the site: it only says that Guard checked a browser. Browsers
 * accept `None` only with `Secure`, so http has Lax.
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
