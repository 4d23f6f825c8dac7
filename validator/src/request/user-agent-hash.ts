import { hash } from 'node:crypto';

/** Longer strings are read up to here; no browser sends half of it. In UTF-16 code units. */
export const MAX_AGENT_LENGTH = 1_024;

/**
 * What tickets and sessions remember of a User-Agent: 22 characters, however long it is, so that a visitor
 * cannot choose the memory that a session takes.
 */
export function hashUserAgent(userAgent: string): string {
  return hash('sha256', userAgent.slice(0, MAX_AGENT_LENGTH), 'base64url').slice(0, 22);
}
