import { sessionRoot } from '@guard/config/contract/session-root';
import { hash } from 'node:crypto';

/**
 * Prefix of the keys in Redis. The number is the version of the format, so that no instance reads values in another
 * format.
 */
const NAMESPACE = 'guard:1:';
const SESSION = `${NAMESPACE}session:`;

/** The key that Guard writes to test whether Redis accepts writes. */
export const PROBE_KEY = `${NAMESPACE}probe`;

/** The key of a session. It is the same for all values of the session. */
export function sessionKey(id: string): string {
  return SESSION + sessionRoot(id);
}

/** The root of the session with this key. Undefined for other keys. */
export function sessionOfKey(key: string): string | undefined {
  return key.startsWith(SESSION) ? key.slice(SESSION.length) : undefined;
}

export function spentKey(ticketId: string): string {
  return `${NAMESPACE}spent:${ticketId}`;
}

export function newestKey(name: string): string {
  return `${NAMESPACE}newest:${name}`;
}

export function sharedTextKey(name: string): string {
  return `${NAMESPACE}text:${name}`;
}

export function budgetKey(name: string, subject: string): string {
  return `${NAMESPACE}budget:${digestOf(name, subject)}`;
}

export function rememberedKey(name: string, subject: string): string {
  return `${NAMESPACE}remembered:${digestOf(name, subject)}`;
}

/**
 * The digest of a subject. Keys must not contain the subject itself, because it can be an address or a long header
 * value.
 */
function digestOf(name: string, subject: string): string {
  return hash('sha256', `${name.length}:${name}${subject}`, 'base64url').slice(0, 22);
}
