import { readIpv6 } from './address.ts';
import { formatIpv6 } from './format-address.ts';

const words = new Uint32Array(4);

/**
 * Removes what identifies a household: the result is the first address of the /24, or of the /48 in IPv6. Empty for
 * text that is not an address.
 */
export function truncateAddress(ip: string): string {
  if (!ip.includes(':')) {
    const lastDot = ip.lastIndexOf('.');
    return lastDot === -1 ? '' : `${ip.slice(0, lastDot)}.0`;
  }
  if (!readIpv6(ip, ip.length, words)) return '';
  words[1] = (words[1] ?? 0) & 0xffff_0000;
  words.fill(0, 2);
  return formatIpv6(words);
}
