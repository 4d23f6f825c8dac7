import type { Facts } from './facts.ts';

type ProxyFacts = Pick<Facts, 'headers' | 'ipFrom'>;

/**
 * Whether a header field shows that the request came through a proxy or CDN of the operator. Such proxies reorder, add
 * and drop header fields. False for a visitor who connects directly, because a visitor can write the same fields.
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
 * Like passedProxy, but also true for any request with Via (RFC 9110 section 7.6.3), which a proxy on the visitor's
 * side writes, such as a company's proxy. Use this function only for weak signs.
 */
export function mayHavePassedProxy(facts: ProxyFacts): boolean {
  return facts.headers['via'] !== undefined || passedProxy(facts);
}
