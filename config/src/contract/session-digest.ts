import { hash } from 'node:crypto';
import { sessionRoot } from './session-root.ts';

/**
 * How a session is named outside of the validator, 32 hex digits: in events
 * and in X-Guard-Session. 128 bits of a digest tell sessions apart, and cannot be sent back as a cookie.
 * The same for each value that a session has had. Empty for no session.
 */
export function sessionDigest(session: string): string {
  return session === '' ? '' : hash('sha256', sessionRoot(session), 'hex').slice(0, 32);
}
