import { type AddressRange, readRange } from './address.ts';
import { indexByUpperHalf } from './address-map.ts';
import { readAddress } from './read-address.ts';

/** From this number of IPv4 intervals, an index of 256 KiB is used to shorten the search. */
const INDEX_MIN_INTERVALS = 4096;

/**
 * A set of IP ranges. `has` allocates nothing.
 *
 * Ranges are merged into sorted, disjoint intervals. IPv4 and IPv6 are separate: `0.0.0.0/0` has no IPv6 address and
 * `::/0` no IPv4 address. A v4-mapped address or range is treated as IPv4.
 */
export class PrefixSet {
  readonly #v4: Ipv4Intervals;
  readonly #v6: Ipv6Intervals;

  private constructor(v4: Ipv4Intervals, v6: Ipv6Intervals) {
    this.#v4 = v4;
    this.#v6 = v6;
  }

  /** Makes a set from validated CIDR ranges and single addresses (net/cidr.ts). Throws a TypeError for other text. */
  static from(cidrs: Iterable<string>): PrefixSet {
    const ranges: AddressRange[] = [];
    for (const cidr of cidrs) {
      const range = readRange(cidr);
      if (range === undefined) throw new TypeError(`no IP range: ${cidr}`);
      ranges.push(range);
    }
    return PrefixSet.fromRanges(ranges);
  }

  /** Returns the set of a list. The list must not change. All callers with the same list share one set. */
  static of(list: readonly string[]): PrefixSet {
    const cachedSet = setsByList.get(list);
    if (cachedSet !== undefined) return cachedSet;
    const set = PrefixSet.from(list);
    setsByList.set(list, set);
    return set;
  }

  /** Registers a set that another thread has made from the list. */
  static adopt(list: readonly string[], { v4, v6 }: PrefixWords): void {
    setsByList.set(list, new PrefixSet(new Ipv4Intervals(...v4), new Ipv6Intervals(...v6)));
  }

  /** The set as plain memory, for another thread. */
  words(): PrefixWords {
    return { v4: this.#v4.words, v6: this.#v6.words };
  }

  static fromRanges(ranges: Iterable<AddressRange>): PrefixSet {
    const v4: Interval<number>[] = [];
    const v6: Interval<bigint>[] = [];
    for (const range of ranges) {
      if (range.family === 4) v4.push([range.first, range.last]);
      else v6.push([range.first, range.last]);
    }
    return new PrefixSet(
      Ipv4Intervals.of(mergeIntervals(v4, (last) => last + 1)),
      Ipv6Intervals.of(mergeIntervals(v6, (last) => last + 1n)),
    );
  }

  /** The number of disjoint intervals. */
  get size(): number {
    return this.#v4.count + this.#v6.count;
  }

  /** `ip` is spelled as `parseIp` returns it. False for other text. */
  has(ip: string): boolean {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'v4') return this.#v4.has(v4);
    return family === 'v6' && this.#v6.has(v6);
  }
}

const setsByList = new WeakMap<readonly string[], PrefixSet>();

/** The first and the last members of all intervals of a family. */
type Words = readonly [firsts: Uint32Array, lasts: Uint32Array];
export type PrefixWords = Readonly<Record<'v4' | 'v6', Words>>;

type Interval<T extends number | bigint> = [first: T, last: T];

/** Sorts intervals and joins overlapping and adjacent intervals. */
export function mergeIntervals<T extends number | bigint>(
  intervals: readonly Interval<T>[],
  successor: (last: T) => T,
): Interval<T>[] {
  const sortedIntervals = intervals.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const mergedIntervals: Interval<T>[] = [];
  let currentInterval: Interval<T> | undefined;
  for (const [first, last] of sortedIntervals) {
    if (currentInterval === undefined || first > successor(currentInterval[1])) {
      currentInterval = [first, last];
      mergedIntervals.push(currentInterval);
    } else if (last > currentInterval[1]) {
      currentInterval[1] = last;
    }
  }
  return mergedIntervals;
}

class Ipv4Intervals {
  readonly count: number;
  readonly #firsts: Uint32Array;
  readonly #lasts: Uint32Array;
  /** For each upper half of an address: the number of intervals that start before it. */
  readonly #index: Uint32Array | undefined;

  constructor(firsts: Uint32Array, lasts: Uint32Array) {
    this.count = firsts.length;
    this.#firsts = firsts;
    this.#lasts = lasts;
    this.#index = this.count < INDEX_MIN_INTERVALS ? undefined : indexByUpperHalf(this.#firsts);
  }

  static of(intervals: readonly Interval<number>[]): Ipv4Intervals {
    return new Ipv4Intervals(
      Uint32Array.from(intervals, ([first]) => first),
      Uint32Array.from(intervals, ([, last]) => last),
    );
  }

  get words(): Words {
    return [this.#firsts, this.#lasts];
  }

  has(address: number): boolean {
    const half = address >>> 16;
    let low = this.#index?.[half] ?? 0;
    let high = this.#index?.[half + 1] ?? this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firsts[middle] ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low > 0 && address <= (this.#lasts[low - 1] ?? 0);
  }
}

class Ipv6Intervals {
  readonly count: number;
  /** Four words per address, most significant first. */
  readonly #firsts: Uint32Array;
  readonly #lasts: Uint32Array;

  constructor(firsts: Uint32Array, lasts: Uint32Array) {
    this.count = firsts.length / 4;
    this.#firsts = firsts;
    this.#lasts = lasts;
  }

  static of(intervals: readonly Interval<bigint>[]): Ipv6Intervals {
    return new Ipv6Intervals(
      packWords(intervals.map(([first]) => first)),
      packWords(intervals.map(([, last]) => last)),
    );
  }

  get words(): Words {
    return [this.#firsts, this.#lasts];
  }

  has(address: Uint32Array): boolean {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareWords(this.#firsts, middle, address) <= 0) low = middle + 1;
      else high = middle;
    }
    return low > 0 && compareWords(this.#lasts, low - 1, address) >= 0;
  }
}

function packWords(addresses: readonly bigint[]): Uint32Array {
  const packedWords = new Uint32Array(addresses.length * 4);
  addresses.forEach((address, at) => {
    for (let word = 0; word < 4; word += 1) {
      packedWords[at * 4 + word] = Number((address >> BigInt(96 - 32 * word)) & 0xffff_ffffn);
    }
  });
  return packedWords;
}

/** The result is negative, zero or positive, as in a compare function for `sort`. */
function compareWords(packed: Uint32Array, at: number, address: Uint32Array): number {
  for (let word = 0; word < 4; word += 1) {
    const difference = (packed[at * 4 + word] ?? 0) - (address[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
