import type { AddressRange } from '@guard/config/net/address';
import { mergeIntervals } from '@guard/config/net/prefix-set';

/** Counts the addresses in the ranges. An address in several ranges is counted once. */
export function coverageOf(ranges: Iterable<AddressRange>): {
  readonly v4: bigint;
  readonly v6: bigint;
} {
  const v4: [bigint, bigint][] = [];
  const v6: [bigint, bigint][] = [];
  for (const { family, first, last } of ranges) {
    (family === 4 ? v4 : v6).push([BigInt(first), BigInt(last)]);
  }
  return { v4: sizeOf(v4), v6: sizeOf(v6) };
}

function sizeOf(intervals: readonly [bigint, bigint][]): bigint {
  return mergeIntervals(intervals, (last) => last + 1n).reduce(
    (sum, [first, last]) => sum + last - first + 1n,
    0n,
  );
}
