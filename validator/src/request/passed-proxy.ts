import type { Facts } from './facts.ts';

type ProxyFacts = Pick<Facts, 'headers' | 'ipFrom'>;

/**
 * Whether a header field shows that the request came through a proxy or CDN of the operator, which reorders, adds and
 * drops header fields. Fields of a visitor who connects directly do not count, because a visitor can write them too.
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
 * As passedProxy, but Via counts too (RFC 9110 section 7.6.3): a proxy on the visitor's side, such as a company's,
 * writes it. Use this only for weak signs.
 */
export function mayHavePassedProxy(facts: ProxyFacts): boolean {
  return facts.headers['via'] !== undefined || passedProxy(facts);
}
