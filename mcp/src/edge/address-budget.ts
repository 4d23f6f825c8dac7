import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

/** Most addresses in memory. The least recently used one is removed first. */
const MAX_ADDRESSES = 10_000;

interface AddressBudgetOptions {
  readonly requests: number;
  readonly perMs: number;
  readonly clock: Clock;
}

/**
 * A request budget for each address (the generic cell rate algorithm): `requests` at once, then the same number in
 * each `perMs`. An IPv6 visitor has a whole /64, which counts as one address.
 */
export class AddressBudget {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #clock: Clock;
  /** When each address will have its full budget again. */
  readonly #restoredAt = new LRUCache<string, number>({ max: MAX_ADDRESSES });

  constructor({ requests, perMs, clock }: AddressBudgetOptions) {
    this.#intervalMs = perMs / requests;
    this.#toleranceMs = perMs - this.#intervalMs;
    this.#clock = clock;
  }

  /** Takes one request. Returns 0 when it is within the budget, else the milliseconds to wait. */
  take(address: string): number {
    const key = keyOf(address);
    const now = this.#clock();
    const restoredAt = Math.max(this.#restoredAt.get(key) ?? now, now);
    const waitMs = restoredAt - now - this.#toleranceMs;
    if (waitMs > 0) return waitMs;
    this.#restoredAt.set(key, restoredAt + this.#intervalMs);
    return 0;
  }
}

/** Texts that are not addresses share one budget, such as the peer of a unix socket. */
function keyOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? '' : addressGroup(ip);
}
