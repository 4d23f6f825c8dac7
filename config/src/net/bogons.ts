import { type AddressRange, readRange } from './address.ts';

/**
 * Ranges that a list of public addresses must not contain. Some published lists do contain them: one has 192.168.1.0/24
 * for a crawler, and another has the documentation networks for a hosting provider. special-address.ts classifies
 * single addresses. This file checks ranges, which can contain special addresses.
 */

/** Special-purpose addresses: RFC 6890 and the IANA registries that follow it. */
const BOGONS: readonly AddressRange[] = [
  '0.0.0.0/8', // this network, RFC 791
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // carrier-grade NAT, RFC 6598
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, RFC 3927
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation, RFC 5737
  '192.88.99.0/24', // 6to4 relay anycast, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/3', // multicast, reserved and broadcast
  '::/8', // unspecified, loopback, v4-mapped, and NAT64 (64:ff9b::/96, RFC 6052)
  '100::/8', // discard-only, RFC 6666
  '2001::/23', // IETF protocol assignments, with Teredo (RFC 4380) and ORCHID
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056
  '3fff::/20', // documentation, RFC 9637
  '5f00::/16', // segment routing, RFC 9602
  'fc00::/7', // unique local, RFC 4193
  'fe80::/9', // link-local, and the deprecated site-local
  'ff00::/8', // multicast
].flatMap((cidr) => readRange(cidr) ?? []);

/** In ascending order, as in the list above. No two overlap. */
const BOGONS_BY_FAMILY = {
  4: BOGONS.filter(({ family }) => family === 4),
  6: BOGONS.filter(({ family }) => family === 6),
};

/** The shortest allowed prefix lengths of a list. */
export interface WidthLimit {
  readonly v4: number;
  readonly v6: number;
}

export interface Refusals {
  readonly malformed: number;
  readonly bogon: number;
  readonly tooWide: number;
}

type Refusal = keyof Refusals;

/** Says why a list of public addresses must not contain a range. Undefined when the list may contain it. */
export function refusalOf(range: AddressRange, widthLimit: WidthLimit): Refusal | undefined {
  if (range.length < (range.family === 4 ? widthLimit.v4 : widthLimit.v6)) return 'tooWide';
  const bogons = BOGONS_BY_FAMILY[range.family];
  // Guard checks 30,000 ranges when it starts, so this is a binary search. Only the last bogon that starts before the
  // end of the range can overlap it.
  let low = 0;
  let high = bogons.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const bogon = bogons[middle];
    if (bogon && bogon.first <= range.last) low = middle + 1;
    else high = middle;
  }
  const lastBefore = bogons[low - 1];
  return lastBefore && range.first <= lastBefore.last ? 'bogon' : undefined;
}

/** Reads the ranges of a list of public addresses. Refused entries are dropped and counted. */
export function readPublicRanges(
  entries: Iterable<string>,
  widthLimit: WidthLimit,
): { readonly ranges: readonly AddressRange[]; readonly refusals: Refusals } {
  const ranges: AddressRange[] = [];
  const refusals = { malformed: 0, bogon: 0, tooWide: 0 };
  for (const entry of entries) {
    const range = readRange(entry);
    const refusal = range === undefined ? 'malformed' : refusalOf(range, widthLimit);
    if (refusal !== undefined) refusals[refusal] += 1;
    else if (range !== undefined) ranges.push(range);
  }
  return { ranges, refusals: refusals };
}
