import { readAddress } from './read-address.ts';

/**
 * Runs of addresses in ascending order. A run ends where the next one starts. Each run has a value, and 0 means that it
 * has no value. IPv6 starts are the upper 64 bits, because smaller networks are not routed.
 */
export interface AddressRuns {
  readonly v4: { readonly starts: Uint32Array; readonly values: Uint32Array };
  readonly v6: {
    readonly highs: Uint32Array;
    readonly lows: Uint32Array;
    readonly values: Uint32Array;
  };
}

/** A look-up allocates nothing. */
export class AddressMap {
  readonly #v4: AddressRuns['v4'];
  readonly #v6: AddressRuns['v6'];
  /** For each upper half of an IPv4 address: the number of runs that start before it. */
  readonly #index: Uint32Array;

  /** The runs are not copied. */
  constructor(runs: AddressRuns) {
    this.#v4 = runs.v4;
    this.#v6 = runs.v6;
    this.#index = indexByUpperHalf(runs.v4.starts);
  }

  /** The number of runs, including runs without a value. */
  get size(): number {
    return this.#v4.values.length + this.#v6.values.length;
  }

  /** The value of an address, spelled as `parseIp` returns it. 0 when there is none. */
  numberAt(ip: string): number {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'v4') return this.#atV4(v4);
    return family === 'v6' ? this.#atV6(v6[0] ?? 0, v6[1] ?? 0) : 0;
  }

  #atV4(address: number): number {
    const { starts, values } = this.#v4;
    const half = address >>> 16;
    let low = this.#index[half] ?? 0;
    let high = this.#index[half + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (values[low - 1] ?? 0);
  }

  #atV6(addressHigh: number, addressLow: number): number {
    const { highs, lows, values } = this.#v6;
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = highs[middle] ?? 0;
      const hasBegun =
        start < addressHigh || (start === addressHigh && (lows[middle] ?? 0) <= addressLow);
      if (hasBegun) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (values[low - 1] ?? 0);
  }
}

/**
 * For each upper half of an IPv4 address, and for the end of all addresses: the number of the sorted addresses that are
 * below it.
 */
export function indexByUpperHalf(starts: Uint32Array): Uint32Array {
  const index = new Uint32Array(65_537);
  let runsBefore = 0;
  for (let half = 0; half <= 65_536; half += 1) {
    while (runsBefore < starts.length && (starts[runsBefore] ?? 0) < half * 65_536) runsBefore += 1;
    index[half] = runsBefore;
  }
  return index;
}
