import { readIpv6 } from './address.ts';

const words = new Uint32Array(4);

/** What a prefix leaves of the fourth group. */
const FOURTH_GROUP = { 64: 0xffff, 56: 0xff00, 48: 0 } as const;
/** What one visitor is counted by: an IPv4 address, or the /64 of an IPv6 visitor. */
export function addressGroup(ip: string): string {
  return ip.includes(':') ? networkOf(ip) : ip;
}

/**
 * The network one visitor is likely to stay in: /24 of an IPv4 address, /64 of an IPv6 address, as
 * canonical CIDR text (RFC 5952). Takes an address as `parseIp` spells it; throws a TypeError otherwise.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) {
    const lastDot = ip.lastIndexOf('.');
    if (lastDot === -1) throw new TypeError('no IP address');
    return `${ip.slice(0, lastDot)}.0/24`;
  }
  return ipv6NetworkOf(ip, 64);
}

/**
 * The same of an IPv6 address by a shorter prefix: /56 is what a home is often given, /48 what a site or a
 * tunnel is (RFC 6177). Throws a TypeError for any other text.
 */
export function ipv6NetworkOf(ip: string, bits: 64 | 56 | 48): string {
  if (!readIpv6(ip, ip.length, words)) throw new TypeError('no IP address');
  const [high = 0, low = 0] = words;
  const groups = [high >>> 16, high & 0xffff, low >>> 16, low & FOURTH_GROUP[bits]];
  // The four zero groups behind make the longest run of zeros, so `::` stands at the end.
  while (groups.at(-1) === 0) groups.pop();
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
