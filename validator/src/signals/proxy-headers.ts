import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const PROXY_HEADERS: readonly Reason[] = ['proxy_headers'];

/**
 * Finds proxy headers that the visitor sent. A header that contains the visitor's address is no finding, because a
 * proxy of the operator wrote it. The finding is only a hint, because companies use proxies too.
 */
export const proxyHeadersSignal: Signal = ({ headers, ip, crawler }) => {
  if (crawler?.proof === 'verified') return NO_REASONS;
  if (headers['proxy-connection'] !== undefined || headers['via'] !== undefined)
    return PROXY_HEADERS;
  const strange = isStrange(headers, 'x-forwarded-for', ip) || isStrange(headers, 'forwarded', ip);
  return strange ? PROXY_HEADERS : NO_REASONS;
};

function isStrange(headers: Facts['headers'], name: string, ip: string): boolean {
  return headers[name]?.includes(ip) === false;
}
