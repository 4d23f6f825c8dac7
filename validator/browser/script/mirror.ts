import { sessionCookies } from '../page/session-cookie.ts';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { OpenedSession } from '../../page-contract/opened-session.ts';

/**
 * Writes the session as a first-party cookie of the page's host, with the attributes of the server's cookie. False when
 * the browser does not keep the cookie. Such a session needs no judgement, because the browser never sends it.
 */
export function mirror(cookie: OpenedSession['cookie']): boolean {
  // A cookie of this session that is already there is not replaced. It can be a cookie of the server, and Safari keeps
  // cookies of scripts only for a week. Or it can have a later value of the session.
  const root = sessionRoot(cookie.value);
  if (sessionCookies().some((value) => sessionRoot(value) === root)) return true;
  const secure = cookie.secure ? '; Secure' : '';
  try {
    document.cookie = `${cookie.name}=${cookie.value}; Path=${cookie.path}; Max-Age=${cookie.max_age}; SameSite=${cookie.same_site}${secure}`;
  } catch {
    // In a sandboxed frame, the assignment throws an error.
    return false;
  }
  return sessionCookies().includes(cookie.value);
}
