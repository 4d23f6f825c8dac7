import { readIpv6 } from './address.ts';
import { formatIpv6 } from './format-address.ts';

const words = new Uint32Array(4);

/**
 * Removes from an address what identifies a household: the result is the first address of its /24, or of its /48 in
 * IPv6. The address must be spelled as in events. Empty for other text.
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
