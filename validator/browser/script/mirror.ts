import { sessionCookies } from '../page/session-cookie.ts';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { OpenedSession } from '../../page-contract/opened-session.ts';

/**
 * Writes the session as a first-party cookie of the page's host, with the attributes that the server
 * gives it. False when it does not stay: a session that is not presented again needs no judgement.
 */
export function mirror(cookie: OpenedSession['cookie']): boolean {
  // Safari keeps what a script wrote for a week only: the service's own cookie is left as it is. So is a later value of
  // the session, which a page may have been given since the script asked.
  const root = sessionRoot(cookie.value);
  if (sessionCookies().some((value) => sessionRoot(value) === root)) return true;
  const secure = cookie.secure ? '; Secure' : '';
  try {
    document.cookie = `${cookie.name}=${cookie.value}; Path=${cookie.path}; Max-Age=${cookie.max_age}; SameSite=${cookie.same_site}${secure}`;
  } catch {
    // A sandboxed frame throws an error instead of ignoring the cookie.
    return false;
  }
  return sessionCookies().includes(cookie.value);
}
