import ipaddr from 'ipaddr.js';
import { readIpv4 } from './address.ts';

/** Strict parsing of addresses and ranges. Matching is prefix-set.ts: ipaddr.js is too slow for that. */

/** True for one IPv4 or IPv6 address, or a CIDR range of either. */
export function isIpOrCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return parseIp(text) !== undefined;
  return ipaddr.isValidCIDR(text) && parseIp(text.slice(0, slash)) !== undefined;
}

/**
 * The canonical spelling of one IP address, or undefined. A v4-mapped IPv6 address becomes its IPv4
 * form, a zone is dropped. A list, a port, brackets, or IPv4 in octal, hex or short form is no address.
 */
export function parseIp(text: string): string | undefined {
  if (readIpv4(text, 0, text.length) >= 0) return text;
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text.split('%', 1)[0] ?? '');
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : address.toRFC5952String();
}
