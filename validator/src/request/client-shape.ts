import type { Facts } from './facts.ts';

/** Fields that a browser sends with each page, in an order of its own. Others come and go with the request. */
const SHAPING: ReadonlyMap<string, number> = new Map(
  [
    'host connection user-agent accept accept-encoding accept-language sec-ch-ua',
    'sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site',
    'upgrade-insecure-requests priority te',
  ]
    .flatMap((line) => line.split(' '))
    .map((name, index) => [name, index + 1]),
);

/**
 * What visitors with the same program have in common: the fingerprint of the TLS client (JA4), how it opened
 * HTTP/2, and the order of its header fields, as a number. Guard sees no handshake behind another proxy. There
 * the shape is only the order. A program can copy the shape of a browser, and then shares it with people.
 */
export function clientShape({ headers, transport }: Pick<Facts, 'headers' | 'transport'>): string {
  let order = 0;
  for (const name in headers) {
    const code = SHAPING.get(name);
    if (code !== undefined) order = (Math.imul(order, 31) + code) | 0;
  }
  return `${order} ${transport?.hello?.ja4 ?? ''} ${transport?.http2?.fingerprint ?? ''}`;
}
