import type { SessionStore } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

/** Maximum number of nonces in memory. Above this number, the oldest nonce is forgotten and could be used again. */
const MAX_NONCES = 10_000;

/** The nonces of good signatures, until the signatures expire. A reload keeps them. */
export class UsedNonces {
  readonly #max: number;
  /** The cache is created with the first nonce, because an LRUCache allocates the memory of all entries at once. */
  #expiries: LRUCache<string, number> | undefined;

  constructor(max = MAX_NONCES) {
    this.#max = max;
  }

  /** True for the first use of a nonce in all threads of the process. `name` contains the key id and the nonce. */
  use(
    name: string,
    nowMs: number,
    expiresMs: number,
    store: Pick<SessionStore, 'takeInProcess'>,
  ): boolean {
    this.#expiries ??= new LRUCache({ max: this.#max });
    if ((this.#expiries.get(name) ?? 0) > nowMs) return false;
    this.#expiries.set(name, expiresMs);
    const once = { requests: 1, perMs: expiresMs - nowMs };
    return store.takeInProcess('nonces', [{ subject: name, budget: once }]) === 0;
  }
}
