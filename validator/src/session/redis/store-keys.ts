import { sessionRoot } from '@guard/config/contract/session-root';
import { hash } from 'node:crypto';

/**
 * Names of what lies in Redis. The number is the version of the format: another one is another name, so
 * instances of two versions that share a Redis do not misread each other.
 */
const NAMESPACE = 'guard:1:';
const SESSION = `${NAMESPACE}session:`;

/** Written to find out whether Redis takes writes. */
export const PROBE_KEY = `${NAMESPACE}probe`;

/** One for all values of a session. */
export function sessionKey(id: string): string {
  return SESSION + sessionRoot(id);
}

/** The root of the session whose key this is; undefined for another key. */
export function sessionOfKey(key: string): string | undefined {
  return key.startsWith(SESSION) ? key.slice(SESSION.length) : undefined;
}

export function spentKey(id: string): string {
  return `${NAMESPACE}spent:${id}`;
}

/** `name` is one of a few words. */
export function newestKey(name: string): string {
  return `${NAMESPACE}newest:${name}`;
}

/** `name` is one of a few words. */
export function sharedTextKey(name: string): string {
  return `${NAMESPACE}text:${name}`;
}

export function budgetKey(name: string, subject: string): string {
  return `${NAMESPACE}budget:${digestOf(name, subject)}`;
}

export function rememberedKey(name: string, subject: string): string {
  return `${NAMESPACE}remembered:${digestOf(name, subject)}`;
}

/** A subject is an address, or as long as a header, and neither belongs into a name. */
function digestOf(name: string, subject: string): string {
  return hash('sha256', `${name.length}:${name}${subject}`, 'base64url').slice(0, 22);
}
