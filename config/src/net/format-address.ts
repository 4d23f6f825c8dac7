import { getGroup } from './address.ts';

/** The dotted decimal form of an unsigned 32-bit number. */
export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/**
 * The form of RFC 5952 section 4 of four 32-bit words: the longest run of zero groups becomes `::`, and of several
 * longest runs the first one.
 */
export function formatIpv6(words: Uint32Array): string {
  const gap = longestGap(words);
  let text = '';
  for (let group = 0; group < 8; group += 1) {
    if (group === gap.from) {
      text += '::';
      group += gap.length - 1;
      continue;
    }
    if (text !== '' && !text.endsWith(':')) text += ':';
    text += getGroup(words, group).toString(16);
  }
  return text;
}

function longestGap(words: Uint32Array): { readonly from: number; readonly length: number } {
  let from = -1;
  let length = 1;
  let zeroRun = 0;
  for (let group = 0; group < 8; group += 1) {
    zeroRun = getGroup(words, group) === 0 ? zeroRun + 1 : 0;
    if (zeroRun > length) {
      length = zeroRun;
      from = group - zeroRun + 1;
    }
  }
  return { from, length };
}
