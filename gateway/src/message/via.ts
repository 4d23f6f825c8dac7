import type { VisitorRequest } from './message.ts';

/** The name under which the gateway enters itself in Via (RFC 9110 section 7.6.3). */
const PSEUDONYM = 'guard';

/** The Via field of a request that this gateway forwards: what the request had, and one entry of our own. */
export function nextVia({ httpVersion, headers }: VisitorRequest): string {
  const own = `${httpVersion} ${PSEUDONYM}`;
  return headers.via === undefined ? own : `${headers.via}, ${own}`;
}

/**
 * How many gateways of this name a request has passed already. A few in a row are layers. Many are an
 * origin that points back at its own gateway.
 */
export function passesBefore(via: string | undefined): number {
  if (via === undefined) return 0;
  let count = 0;
  for (const entry of via.split(',')) {
    if (entry.trim().split(' ', 2)[1] === PSEUDONYM) count++;
  }
  return count;
}
