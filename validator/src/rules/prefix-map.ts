import { readAddress } from '@guard/config/net/read-address';

/** One map for each prefix length, with the longest prefix first. The keys are masked addresses. */
type ByPrefix<Key, Value> = { readonly length: number; readonly values: Map<Key, Value> }[];

/**
 * Values by network. Each value has a time at which it ends. A look-up reads one map for each prefix length in use, and
 * a change writes one map. IPv4 and IPv6 are separate. A v4-mapped address or network is treated as IPv4.
 */
export class PrefixMap<Value extends { readonly until: number }> {
  readonly #v4: ByPrefix<number, Value> = [];
  readonly #v6: ByPrefix<string, Value> = [];

  /** Sets the value of a network. `network` is an address or a CIDR range that the caller has checked (net/cidr.ts). */
  set(network: string, value: Value): void {
    this.#changeAt(network, (values, key) => values.set(key, value));
  }

  delete(network: string): void {
    this.#changeAt(network, (values, key) => values.delete(key));
  }

  #changeAt(network: string, change: <Key>(values: Map<Key, Value>, key: Key) => void): void {
    const [address = '', length] = network.split('/');
    const { family, v4, v6 } = readAddress(address);
    if (family === 'v4') {
      const bits = Number(length ?? 32);
      change(valuesOf(this.#v4, bits), maskV4(v4, bits));
    } else {
      const bits = Number(length ?? 128);
      change(valuesOf(this.#v6, bits), maskV6(v6, bits));
    }
  }

  /** The value of the smallest network that contains `ip` and has not ended. `nowMs` is in epoch milliseconds. */
  find(ip: string, nowMs: number): Value | undefined {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'v4') {
      for (const { length, values } of this.#v4) {
        const value = values.get(maskV4(v4, length));
        if (value !== undefined && value.until > nowMs) return value;
      }
    } else if (family === 'v6') {
      for (const { length, values } of this.#v6) {
        const value = values.get(maskV6(v6, length));
        if (value !== undefined && value.until > nowMs) return value;
      }
    }
    return undefined;
  }
}

function valuesOf<Key, Value>(byPrefix: ByPrefix<Key, Value>, length: number): Map<Key, Value> {
  const knownEntry = byPrefix.find((entry) => entry.length === length);
  if (knownEntry !== undefined) return knownEntry.values;
  const values = new Map<Key, Value>();
  byPrefix.push({ length, values });
  byPrefix.sort((a, b) => b.length - a.length);
  return values;
}

function maskV4(address: number, length: number): number {
  return length === 0 ? 0 : (address & (0xffff_ffff << (32 - length))) >>> 0;
}

/** The masked address as text, because a number cannot have 128 bits. */
function maskV6(words: Uint32Array, length: number): string {
  let text = '';
  for (let word = 0; word < 4; word += 1) {
    const bits = Math.min(32, Math.max(0, length - 32 * word));
    text += `${maskV4(words[word] ?? 0, bits).toString(36)}:`;
  }
  return text;
}
