import ipaddr from 'ipaddr.js';
import { parseIp } from './cidr.ts';

/** What an address is for: this machine, a private network, another special purpose (RFC 6890), or the internet. */
type AddressUse = 'loopback' | 'private' | 'special' | 'public';

/** By the names that ipaddr.js gives to ranges. The others are special. */
const USES: Readonly<Record<string, AddressUse>> = {
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  linkLocal: 'private',
  carrierGradeNat: 'private',
  unicast: 'public',
  // Services of the internet at addresses of their own (RFC 7534, RFC 7535, RFC 7450).
  as112: 'public',
  as112v6: 'public',
  amt: 'public',
};

/**
 * What one address is for; undefined for another text. A v4-mapped IPv6 address counts as its IPv4 address. Takes some
 * microseconds: too long to do for each request.
 */
export function addressUse(address: string): AddressUse | undefined {
  // ipaddr.js alone takes octal, hex and short forms for addresses.
  const ip = parseIp(address);
  return ip === undefined ? undefined : (USES[ipaddr.parse(ip).range()] ?? 'special');
}

/** The URL at which a program on the same machine reaches a listener; a wildcard address is written as the loopback one. */
export function listenerUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Whether only this machine reaches a host, as a listener or a URL names it (RFC 1122 section 3.2.1.3, RFC 4291
 * section 2.5.3, RFC 6761 section 6.3). A name besides `localhost` counts as reached by others.
 */
export function isLoopbackHost(host: string): boolean {
  const use = addressUse(host.replace(/^\[(.*)\]$/, '$1'));
  return use === undefined ? /^(?:.+\.)?localhost\.?$/i.test(host) : use === 'loopback';
}
