import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { NOTHING, type Signal } from './signal.ts';

const FOUND: readonly Reason[] = ['proxy_headers'];

/**
 * The visitor's own words about a proxy. What names the visitor's address was written on this side
 * of the connection and says nothing; the rest is a hint at most, because companies have proxies too.
 */
export const proxyHeadersSignal: Signal = ({ headers, ip, crawler }) => {
  if (crawler?.proof === 'verified') return NOTHING;
  if (headers['proxy-connection'] !== undefined || headers['via'] !== undefined) return FOUND;
  const strange = isStrange(headers, 'x-forwarded-for', ip) || isStrange(headers, 'forwarded', ip);
  return strange ? FOUND : NOTHING;
};

function isStrange(headers: Facts['headers'], name: string, ip: string): boolean {
  return headers[name]?.includes(ip) === false;
}
