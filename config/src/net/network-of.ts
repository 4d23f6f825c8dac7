import { readIpv6 } from './address.ts';

const words = new Uint32Array(4);

/** The bits of the third and fourth group that a prefix of this length keeps. */
const LOW_BITS = { 64: 0xffffffff, 56: 0xffffff00, 48: 0xffff0000, 32: 0 } as const;

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

/** The network that one site usually has: a /24, or a /48 of IPv6 (RFC 6177). Text and errors as {@link networkOf}. */
export function siteNetworkOf(ip: string): string {
  return ip.includes(':') ? ipv6NetworkOf(ip, 48) : networkOf(ip);
}

/** The network that one provider usually has: a /16, or a /32 of IPv6. Text and errors as {@link networkOf}. */
export function providerNetworkOf(ip: string): string {
  if (ip.includes(':')) return ipv6NetworkOf(ip, 32);
  const [first = '', second] = ip.split('.');
  if (second === undefined) throw new TypeError('no IP address');
  return `${first}.${second}.0.0/16`;
}

/**
 * The network of an IPv6 address with another prefix length. Homes often get a /56, sites and tunnels a /48 (RFC
 * 6177), providers a /32. Throws a TypeError for other text.
 */
export function ipv6NetworkOf(ip: string, bits: 64 | 56 | 48 | 32): string {
  if (!readIpv6(ip, ip.length, words)) throw new TypeError('no IP address');
  const [high = 0, second = 0] = words;
  const low = second & LOW_BITS[bits];
  const groups = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
  // The four zero groups at the end are the longest run of zeros, so `::` is at the end.
  while (groups.at(-1) === 0) groups.pop();
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
