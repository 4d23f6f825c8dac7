import { sessionCookies } from '../page/session-cookie.ts';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { OpenedSession } from '../../page-contract/opened-session.ts';

/**
 * Writes the session as a first-party cookie of the page's host, with the attributes of the server's cookie. False when
 * the browser does not keep it: a session that is not sent again needs no judgement.
 */
export function mirror(cookie: OpenedSession['cookie']): boolean {
  // Safari keeps a cookie that a script wrote only for a week, so the service's own cookie is not replaced. A later
  // value of the session, which a page may have got meanwhile, is not replaced either.
  const root = sessionRoot(cookie.value);
  if (sessionCookies().some((value) => sessionRoot(value) === root)) return true;
  const secure = cookie.secure ? '; Secure' : '';
  try {
    document.cookie = `${cookie.name}=${cookie.value}; Path=${cookie.path}; Max-Age=${cookie.max_age}; SameSite=${cookie.same_site}${secure}`;
  } catch {
    // In a sandboxed frame, this throws an error instead of ignoring the cookie.
    return false;
  }
  return sessionCookies().includes(cookie.value);
}
