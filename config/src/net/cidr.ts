import ipaddr from 'ipaddr.js';
import { isV4Mapped, readIpv4, readIpv6 } from './address.ts';
import { formatIpv4, formatIpv6 } from './format-address.ts';

/** Scratch memory. Parsing is synchronous, so one buffer is enough. */
const words = new Uint32Array(4);

export function isIpOrCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return parseIp(text) !== undefined;
  return ipaddr.isValidCIDR(text) && parseIp(text.slice(0, slash)) !== undefined;
}

/**
 * The canonical spelling of one IP address, or undefined. A v4-mapped IPv6 address becomes IPv4, and a zone is
 * dropped. Lists, ports, brackets, and IPv4 in octal, hex or short form are invalid.
 */
export function parseIp(text: string): string | undefined {
  if (readIpv4(text, 0, text.length) >= 0) return text;
  const zone = text.indexOf('%');
  const end = zone === -1 ? text.length : zone;
  if (zone !== -1 && !/^[0-9a-z]+$/i.test(text.slice(zone + 1))) return undefined;
  if (!readIpv6(text, end, words)) return undefined;
  return isV4Mapped(words) ? formatIpv4(words[3] ?? 0) : formatIpv6(words);
}
