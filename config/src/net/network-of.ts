import { readIpv6 } from './address.ts';

const words = new Uint32Array(4);

/** The bits of the fourth group that a prefix keeps. */
const FOURTH_GROUP = { 64: 0xffff, 56: 0xff00, 48: 0 } as const;
/** The key for counting one visitor: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(ip: string): string {
  return ip.includes(':') ? networkOf(ip) : ip;
}

/**
 * The network in which one visitor usually stays: the /24 of an IPv4 address or the /64 of an IPv6 address, as
 * canonical CIDR text. Throws a TypeError for an address that is not spelled as `parseIp` returns it.
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
 * The network of an IPv6 address with another prefix length. Homes often get a /56, sites and tunnels a /48 (RFC
 * 6177). Throws a TypeError for other text.
 */
export function ipv6NetworkOf(ip: string, bits: 64 | 56 | 48): string {
  if (!readIpv6(ip, ip.length, words)) throw new TypeError('no IP address');
  const [high = 0, low = 0] = words;
  const groups = [high >>> 16, high & 0xffff, low >>> 16, low & FOURTH_GROUP[bits]];
  // The four zero groups at the end are the longest run of zeros, so `::` is at the end.
  while (groups.at(-1) === 0) groups.pop();
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
