import { hash } from 'node:crypto';
import { sessionRoot } from './session-root.ts';

/**
 * The name of a session in events and in X-Guard-Session: 32 hex digits. The digest distinguishes sessions, but it is
 * not a valid cookie. All values of one session have the same digest. Empty when there is no session.
 */
export function sessionDigest(session: string): string {
  return session === '' ? '' : hash('sha256', sessionRoot(session), 'hex').slice(0, 32);
}
