import { hash } from 'node:crypto';

/** Number of UTF-16 code units of a User-Agent that Guard reads. Browsers send less than half as many. */
export const MAX_AGENT_LENGTH = 1_024;

/**
 * The hash of a User-Agent that tickets and sessions store. It always has 22 characters, so a long User-Agent needs no
 * more memory.
 */
export function hashUserAgent(userAgent: string): string {
  return hash('sha256', userAgent.slice(0, MAX_AGENT_LENGTH), 'base64url').slice(0, 22);
}
