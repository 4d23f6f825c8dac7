import type { Budget } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';
import { compileAddressCharges } from '../rules/address-charges.ts';
import type { Waiting } from './under-way.ts';

/** Passes and addresses that are counted at the same time. The one unused longest starts anew. */
const MAX_PASSES = 16_384;
const MAX_ADDRESSES = 16_384;

/** What one pass did lately. Counters are deadlines of the generic cell rate algorithm, in epoch milliseconds. */
export interface PassRecord {
  requests: number;
  pages: number;
  documents: number;
  /** Until then documents in answer to data and parts are used up. */
  spentUntil: number;
  /** Requests that wait for their origin, and parts of pages that do. */
  readonly waiting: Waiting;
  readonly waitingParts: Waiting;
  readonly networks: SeenNetwork[];
}

export interface SeenNetwork {
  readonly network: string;
  /** Of its holder: the autonomous system, or where that is not known the wider network. */
  readonly system: string;
  lastAt: number;
}

/** Pages of all passes of an address, or of an IPv6 network around it. */
export interface AddressRecord {
  pages: number;
  most: number;
  /** How many times the budget it holds. */
  readonly budgets: number;
}

const ONE: Budget = { requests: 1, perMs: 1 };
/** What an address is charged to, with how many budgets. */
const chargesOf = compileAddressCharges(ONE);

/** What passes and addresses did lately, in this thread: one look-up for all that is counted of one. */
export class PassTable {
  readonly #passes = new LRUCache<string, PassRecord>({ max: MAX_PASSES });
  readonly #networks = new LRUCache<string, AddressRecord>({ max: MAX_ADDRESSES });
  /** The records of an address and of the networks around it. */
  readonly #addresses = new LRUCache<string, readonly AddressRecord[]>({ max: MAX_ADDRESSES });

  pass(key: string): PassRecord {
    let record = this.#passes.get(key);
    if (record === undefined) {
      record = {
        requests: 0,
        pages: 0,
        documents: 0,
        spentUntil: 0,
        waiting: { count: 0, since: 0 },
        waitingParts: { count: 0, since: 0 },
        networks: [],
      };
      this.#passes.set(key, record);
    }
    return record;
  }

  /** Takes an address as `parseIp` spells it. */
  address(ip: string): readonly AddressRecord[] {
    let records = this.#addresses.get(ip);
    if (records === undefined) {
      records = chargesOf(ip).map(({ subject, budget }) => this.#network(subject, budget.requests));
      this.#addresses.set(ip, records);
    }
    return records;
  }

  #network(subject: string, budgets: number): AddressRecord {
    let record = this.#networks.get(subject);
    if (record === undefined) {
      this.#networks.set(subject, (record = { pages: 0, most: 0, budgets }));
    }
    return record;
  }
}
