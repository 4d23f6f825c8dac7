import type { Facts } from './facts.ts';

/**
 * Fields that browsers send with each page. Each browser has its own order. Other fields are left out, because a
 * browser sends them only with some requests.
 */
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
 * The client shape: properties that visitors with the same program share. These are the fingerprint of the TLS client
 * (JA4), the opening of HTTP/2, and the order of the header fields as a number. Behind another proxy Guard sees no
 * handshake, so there the shape is only the order.
 */
export function clientShape({ headers, transport }: Pick<Facts, 'headers' | 'transport'>): string {
  let order = 0;
  for (const name in headers) {
    const code = SHAPING.get(name);
    if (code !== undefined) order = (Math.imul(order, 31) + code) | 0;
  }
  return `${order} ${transport?.hello?.ja4 ?? ''} ${transport?.http2?.fingerprint ?? ''}`;
}
