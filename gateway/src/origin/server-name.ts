import { isIP } from 'node:net';

/**
 * The name to ask for in TLS (RFC 6066 section 3) at a host as URLs spell it; undefined for an address,
 * which has none. It is the origin's own name, never the visitor's Host.
 */
export function serverName(hostname: string): string | undefined {
  return hostname.startsWith('[') || isIP(hostname) !== 0 ? undefined : hostname;
}
