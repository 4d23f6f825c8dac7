import { isV4Mapped, readIpv4, readIpv6 } from './address.ts';

/** An address as numbers. A v4-mapped IPv6 address is an IPv4 address (RFC 4291 2.5.5.2). */
interface AddressNumbers {
  /** What `v4` or `v6` holds; `none` for a text that is no address. */
  readonly family: 'v4' | 'v6' | 'none';
  /** The IPv4 address as an unsigned 32-bit number. */
  readonly v4: number;
  /** The IPv6 address as four 32-bit words, most significant first. */
  readonly v6: Uint32Array;
}

/** A request's address is looked up in one table after another: what was read last is read once. */
let lastText = '';
const last = { family: 'none' as AddressNumbers['family'], v4: 0, v6: new Uint32Array(4) };

/**
 * Reads an address, without a zone, into numbers that are good until the next call. Makes no garbage,
 * and takes no time for the text it was asked for last.
 */
export function readAddress(text: string): AddressNumbers {
  if (text === lastText) return last;
  lastText = text;
  last.v4 = readIpv4(text, 0, text.length);
  if (last.v4 !== -1) {
    last.family = 'v4';
  } else if (!readIpv6(text, text.length, last.v6)) {
    last.family = 'none';
  } else if (isV4Mapped(last.v6)) {
    last.family = 'v4';
    last.v4 = last.v6[3] ?? 0;
  } else {
    last.family = 'v6';
  }
  return last;
}
