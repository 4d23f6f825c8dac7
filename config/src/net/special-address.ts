import ipaddr from 'ipaddr.js';
import { parseIp } from './cidr.ts';

/** The use of an address: this machine, a private network, another special purpose (RFC 6890), or the internet. */
type AddressUse = 'loopback' | 'private' | 'special' | 'public';

/** The use for each range name of ipaddr.js. Ranges with other names are special. */
const USES: Readonly<Record<string, AddressUse>> = {
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  linkLocal: 'private',
  carrierGradeNat: 'private',
  unicast: 'public',
  // Public services with their own addresses (RFC 7534, RFC 7535, RFC 7450).
  as112: 'public',
  as112v6: 'public',
  amt: 'public',
};

/**
 * The use of an address. Undefined for text that is not an address. A call takes some microseconds, which is too slow
 * for each request.
 */
export function addressUse(address: string): AddressUse | undefined {
  // ipaddr.js alone would accept octal, hex and short forms.
  const ip = parseIp(address);
  return ip === undefined ? undefined : (USES[ipaddr.parse(ip).range()] ?? 'special');
}

/**
 * The URL at which a program on the same machine reaches a listener. A wildcard address becomes the loopback
 * address.
 */
export function listenerUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether only this machine can reach a host of a listener or URL (RFC 1122 3.2.1.3, RFC 4291 2.5.3, RFC 6761 6.3). */
export function isLoopbackHost(host: string): boolean {
  const use = addressUse(host.replace(/^\[(.*)\]$/, '$1'));
  return use === undefined ? /^(?:.+\.)?localhost\.?$/i.test(host) : use === 'loopback';
}
