import { isV4Mapped, readIpv4, readIpv6 } from './address.ts';

/** An address as numbers. A v4-mapped IPv6 address is an IPv4 address (RFC 4291 2.5.5.2). */
interface AddressNumbers {
  /** Which of `v4` and `v6` is set. `none` for text that is not an address. */
  readonly family: 'v4' | 'v6' | 'none';
  /** An unsigned 32-bit number. */
  readonly v4: number;
  /** Four 32-bit words, most significant first. */
  readonly v6: Uint32Array;
}

/** Cache of the last result: for one request, the same address is looked up in several tables. */
let lastText = '';
const lastNumbers = { family: 'none' as AddressNumbers['family'], v4: 0, v6: new Uint32Array(4) };

/**
 * Parses an address without a zone. The result is valid until the next call. The function allocates nothing. For the
 * same text as in the last call, it returns the last result.
 */
export function readAddress(text: string): AddressNumbers {
  if (text === lastText) return lastNumbers;
  lastText = text;
  lastNumbers.v4 = readIpv4(text, 0, text.length);
  if (lastNumbers.v4 !== -1) {
    lastNumbers.family = 'v4';
  } else if (!readIpv6(text, text.length, lastNumbers.v6)) {
    lastNumbers.family = 'none';
  } else if (isV4Mapped(lastNumbers.v6)) {
    lastNumbers.family = 'v4';
    lastNumbers.v4 = lastNumbers.v6[3] ?? 0;
  } else {
    lastNumbers.family = 'v6';
  }
  return lastNumbers;
}
