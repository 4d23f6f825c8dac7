import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

/** Maximum number of addresses in memory. Above this number the least recently used address is removed. */
const MAX_ADDRESSES = 10_000;

interface AddressBudgetOptions {
  readonly requests: number;
  readonly perMs: number;
  readonly clock: Clock;
}

/**
 * Keeps a budget for each address (GCRA): `requests` requests at once, and then the same number in each period of
 * `perMs`. An IPv6 /64 is one address.
 */
export class AddressBudget {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #clock: Clock;
  /** For each address, the time at which its budget is full again. */
  readonly #restoredAt = new LRUCache<string, number>({ max: MAX_ADDRESSES });

  constructor({ requests, perMs, clock }: AddressBudgetOptions) {
    this.#intervalMs = perMs / requests;
    this.#toleranceMs = perMs - this.#intervalMs;
    this.#clock = clock;
  }

  /** Takes one request. Returns the milliseconds to wait, or 0 when the request is within the budget. */
  take(address: string): number {
    const key = keyOf(address);
    const nowMs = this.#clock();
    const restoredAt = Math.max(this.#restoredAt.get(key) ?? nowMs, nowMs);
    const waitMs = restoredAt - nowMs - this.#toleranceMs;
    if (waitMs > 0) return waitMs;
    this.#restoredAt.set(key, restoredAt + this.#intervalMs);
    return 0;
  }
}

/** All texts that are not an IP address, such as the peer of a unix socket, share one budget. */
function keyOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? '' : addressGroup(ip);
}
