import type { AddressRange } from '../../config/src/net/address.ts';
import { parseIp } from '../../config/src/net/cidr.ts';
import { mergeIntervals } from '../../config/src/net/prefix-set.ts';

/** Addresses of one family as sorted, disjoint intervals. Each interval is its first and its last address. */
type Intervals = [first: bigint, last: bigint][];

export interface AddressSpace {
  readonly v4: Intervals;
  readonly v6: Intervals;
}

export function spaceOf(ranges: Iterable<AddressRange>): AddressSpace {
  const space: AddressSpace = { v4: [], v6: [] };
  for (const { family, first, last } of ranges) {
    (family === 4 ? space.v4 : space.v6).push([BigInt(first), BigInt(last)]);
  }
  const next = (last: bigint): bigint => last + 1n;
  return { v4: mergeIntervals(space.v4, next), v6: mergeIntervals(space.v6, next) };
}

export function subtract(from: AddressSpace, taken: AddressSpace): AddressSpace {
  return {
    v4: subtractIntervals(from.v4, taken.v4),
    v6: subtractIntervals(from.v6, taken.v6),
  };
}

function subtractIntervals(from: Intervals, taken: Intervals): Intervals {
  const remaining: Intervals = [];
  for (const [begin, last] of from) {
    let first = begin;
    for (const [takenFirst, takenLast] of taken) {
      if (takenLast < first) continue;
      if (takenFirst > last) break;
      if (takenFirst > first) remaining.push([first, takenFirst - 1n]);
      first = takenLast + 1n;
    }
    if (first <= last) remaining.push([first, last]);
  }
  return remaining;
}

/** Returns the fewest CIDR ranges that cover the intervals. No range is wider than the prefix length. */
export function cidrsOf(
  space: AddressSpace,
  widest: { readonly v4: number; readonly v6: number },
): { v4: string[]; v6: string[] } {
  return {
    v4: space.v4.flatMap((interval) => split(interval, 32, widest.v4, ipv4Text)),
    v6: space.v6.flatMap((interval) => split(interval, 128, widest.v6, ipv6Text)),
  };
}

function split(
  [first, last]: readonly [bigint, bigint],
  bits: number,
  widest: number,
  text: (address: bigint) => string,
): string[] {
  const cidrs: string[] = [];
  for (let at = first; at <= last;) {
    let length = bits;
    while (length > widest) {
      const size = 1n << BigInt(bits - length + 1);
      if (at % size !== 0n || at + size - 1n > last) break;
      length -= 1;
    }
    cidrs.push(`${text(at)}/${length}`);
    at += 1n << BigInt(bits - length);
  }
  return cidrs;
}

function ipv4Text(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
}

function ipv6Text(address: bigint): string {
  const groups = address.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  return parseIp(groups.join(':')) ?? '';
}
