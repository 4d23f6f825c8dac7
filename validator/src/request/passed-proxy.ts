import type { Facts } from './facts.ts';

type ProxyFacts = Pick<Facts, 'headers' | 'ipFrom'>;

/**
 * Whether a proxy or CDN of the operator's had the request in hands before, and says so. Those put headers into another
 * order, add their own and drop some. A visitor who connects directly can write the same fields. Then they count for
 * nothing.
 */
export function passedProxy({ headers, ipFrom }: ProxyFacts): boolean {
  if (ipFrom === 'peer') return false;
  return (
    headers['x-forwarded-for'] !== undefined ||
    headers['via'] !== undefined ||
    headers['forwarded'] !== undefined ||
    headers['x-forwarded-proto'] !== undefined ||
    headers['x-real-ip'] !== undefined ||
    headers['cdn-loop'] !== undefined ||
    headers['x-amzn-trace-id'] !== undefined
  );
}

/**
 * The same, or a proxy of the visitor's own says so, as a company's does (RFC 9110, 7.6.3). Only for weak signs: a
 * program can write Via as well, and gains no more by it than by copying a browser's header section.
 */
export function mayHavePassedProxy(facts: ProxyFacts): boolean {
  return facts.headers['via'] !== undefined || passedProxy(facts);
}
