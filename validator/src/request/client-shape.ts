import type { Facts } from './facts.ts';

/** Fields that a browser sends with each page, in an order of its own. Others come and go with the request. */
const SHAPING: Readonly<Record<string, string>> = {
  host: 'h',
  connection: 'c',
  'user-agent': 'u',
  accept: 'a',
  'accept-encoding': 'e',
  'accept-language': 'l',
  'sec-ch-ua': 'b',
  'sec-ch-ua-mobile': 'm',
  'sec-ch-ua-platform': 'p',
  'sec-fetch-dest': 'd',
  'sec-fetch-mode': 'o',
  'sec-fetch-site': 's',
  'upgrade-insecure-requests': 'i',
  priority: 'r',
  te: 't',
};

/**
 * What visitors with the same program have in common: the fingerprint of the TLS client (JA4), how it opened
 * HTTP/2, and the order of its header fields. What nobody saw is empty, so behind another proxy it is the
 * order alone. A program can choose all of it, and the people whose browser has the same shape share it.
 */
export function clientShape({ headers, transport }: Pick<Facts, 'headers' | 'transport'>): string {
  let order = '';
  for (const name in headers) order += SHAPING[name] ?? '';
  return `${order} ${transport?.hello?.ja4 ?? ''} ${transport?.http2?.fingerprint ?? ''}`;
}
