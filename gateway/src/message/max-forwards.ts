import type { VisitorRequest } from './message.ts';

/** The largest number that is sent on (RFC 9110 section 7.6.2 lets a recipient have one). */
const LARGEST = 255;

/**
 * How many proxies an OPTIONS may still pass, this one included (RFC 9110 section 7.6.2); undefined
 * without the field, where it is no number, and for methods that may ignore it.
 */
export function forwardsLeft({
  method,
  headers,
}: Pick<VisitorRequest, 'method' | 'headers'>): number | undefined {
  if (method !== 'OPTIONS') return undefined;
  const said = headers['max-forwards'];
  return typeof said === 'string' && /^\d+$/.test(said) ? Number(said) : undefined;
}

/** What the next recipient reads, where this one has `left` and passes the request on. */
export function nextForwards(left: number): string {
  return String(Math.min(left - 1, LARGEST));
}
