/**
 * Parses IP addresses and CIDR ranges into numbers. It is hand-written, because the code that handles requests must
 * look up addresses without allocations, and the lists have tens of thousands of ranges.
 */

const DOT = 46;
const COLON = 58;
const SLASH = 47;

/** One CIDR range as its first and last address. A range of v4-mapped addresses is an IPv4 range. */
export type AddressRange =
  | { readonly family: 4; readonly first: number; readonly last: number; readonly length: number }
  | { readonly family: 6; readonly first: bigint; readonly last: bigint; readonly length: number };

/** The IPv4 address between two indices of a text, as an unsigned 32-bit number. -1 for other text. */
export function readIpv4(text: string, from: number, to: number): number {
  let address = 0;
  let octet = -1;
  let octets = 0;
  for (let index = from; index <= to; index += 1) {
    const code = index === to ? DOT : text.charCodeAt(index);
    if (code === DOT) {
      if (octet < 0) return -1;
      address = address * 256 + octet;
      octets += 1;
      octet = -1;
      continue;
    }
    const digit = code - 48;
    if (digit < 0 || digit > 9 || octet === 0) return -1;
    octet = octet < 0 ? digit : octet * 10 + digit;
    if (octet > 255) return -1;
  }
  return octets === 4 ? address : -1;
}

/**
 * Parses the IPv6 address before index `to` of a text (RFC 4291 section 2.2, with dotted tail) into the four 32-bit
 * `words`, most significant first. Returns false for any other text, and then `words` has no valid address.
 */
export function readIpv6(text: string, to: number, words: Uint32Array): boolean {
  if (hasLooseColon(text, to)) return false;
  words.fill(0);
  let groups = 0;
  let gapAt = -1;
  let index = text.charCodeAt(0) === COLON ? 1 : 0;
  while (index < to) {
    if (text.charCodeAt(index) === COLON) {
      if (gapAt !== -1) return false;
      gapAt = groups;
      index += 1;
      continue;
    }
    const end = groupEnd(text, index, to);
    const isTail = end < to && text.charCodeAt(end) === DOT;
    const value = isTail ? readIpv4(text, index, to) : readGroup(text, index, end);
    if (value === -1 || groups > (isTail ? 6 : 7)) return false;
    if (isTail) {
      putGroup(words, groups, value >>> 16);
      groups += 1;
    }
    putGroup(words, groups, value & 0xffff);
    groups += 1;
    index = isTail ? to : end + 1;
  }
  if (gapAt === -1) return groups === 8;
  if (groups === 8) return false;
  openGap(words, groups, gapAt);
  return true;
}

function hasLooseColon(text: string, to: number): boolean {
  const leading = text.charCodeAt(0) === COLON && text.charCodeAt(1) !== COLON;
  const trailing = text.charCodeAt(to - 1) === COLON && text.charCodeAt(to - 2) !== COLON;
  return leading || trailing;
}

function groupEnd(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && text.charCodeAt(end) !== COLON && text.charCodeAt(end) !== DOT) end += 1;
  return end;
}

/** The value of one to four hex digits. -1 for other text. */
function readGroup(text: string, from: number, to: number): number {
  if (to === from || to - from > 4) return -1;
  let value = 0;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    let digit = code - 48;
    if (digit < 0 || digit > 9) {
      digit = (code | 0x20) - 87;
      if (digit < 10 || digit > 15) return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

function putGroup(words: Uint32Array, group: number, value: number): void {
  const word = words[group >> 1] ?? 0;
  words[group >> 1] =
    group % 2 === 0 ? (word & 0xffff) | (value << 16) : word - (word % 65_536) + value;
}

export function getGroup(words: Uint32Array, group: number): number {
  const word = words[group >> 1] ?? 0;
  return group % 2 === 0 ? word >>> 16 : word & 0xffff;
}

/** Moves the groups after `::` to the end. */
function openGap(words: Uint32Array, groups: number, gapAt: number): void {
  for (let stepsFromEnd = 1; stepsFromEnd <= groups - gapAt; stepsFromEnd += 1) {
    const value = getGroup(words, groups - stepsFromEnd);
    putGroup(words, groups - stepsFromEnd, 0);
    putGroup(words, 8 - stepsFromEnd, value);
  }
}

/** Whether an address is in ::ffff:0:0/96: its last word is the IPv4 address (RFC 4291 2.5.5.2). */
export function isV4Mapped(words: Uint32Array): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff;
}

/** Parses a CIDR range or a single address. Host bits are ignored. Undefined for other text. */
export function readRange(text: string): AddressRange | undefined {
  const slash = text.indexOf('/');
  const end = slash === -1 ? text.length : slash;
  const v4 = readIpv4(text, 0, end);
  const bits = v4 === -1 ? 128 : 32;
  const length = slash === -1 ? bits : readPrefixLength(text, slash + 1, bits);
  if (length === -1) return undefined;
  if (v4 !== -1) return rangeOfV4(v4, length);
  const words = new Uint32Array(4);
  if (!readIpv6(text, end, words)) return undefined;
  if (isV4Mapped(words) && length >= 96) return rangeOfV4(words[3] ?? 0, length - 96);
  const hostBits = BigInt(128 - length);
  const first = (toBigInt(words) >> hostBits) << hostBits;
  return { family: 6, first, last: first + (1n << hostBits) - 1n, length };
}

function rangeOfV4(address: number, length: number): AddressRange {
  const addresses = 2 ** (32 - length);
  const first = address - (address % addresses);
  return { family: 4, first, last: first + addresses - 1, length };
}

function readPrefixLength(text: string, from: number, maxLength: number): number {
  if (text.length === from || text.length - from > 3) return -1;
  let value = 0;
  for (let index = from; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value > maxLength || text.charCodeAt(from - 1) !== SLASH ? -1 : value;
}

function toBigInt(words: Uint32Array): bigint {
  let value = 0n;
  for (const word of words) value = (value << 32n) | BigInt(word);
  return value;
}
