import type { Budget } from '@guard/config/contract/ports';
import type { AddressCharges } from '../../rules/address-charges.ts';
import { LazyCache } from '../counts/lazy-cache.ts';
import { type LoadedParts, SessionShape } from './session-shape.ts';
import type { WaitingCount } from '../counts/waiting-count.ts';

/**
 * Maximum number of passes, and of addresses, in memory. Above this number, the least recently used entry is forgotten.
 */
const MAX_PASSES = 16_384;
const MAX_ADDRESSES = 16_384;

/** The recent requests of one pass. Its counters are counters of rules/gcra.ts, in epoch milliseconds. */
export interface PassRecord {
  /** The name of the pass, unique among all passes. */
  readonly name: string;
  requests: number;
  pages: number;
  documents: number;
  /** The counter of parts of pages. It does not depend on the answers. */
  files: number;
  /**
   * Until this time the pass is used up, because its requests for data and parts got too many documents. In epoch
   * milliseconds.
   */
  spentUntil: number;
  /** The waiting requests for pages and data. */
  readonly waiting: WaitingCount;
  /** The waiting requests for parts of pages. */
  readonly waitingParts: WaitingCount;
  readonly networks: SeenNetwork[];
  /** The session shape, which all passes of the session share. */
  readonly shape: SessionShape;
  readonly parts: LoadedParts;
  /** Whether an answer was a page. */
  gotPage: boolean;
  /** The number of documents in answer to requests for data. */
  documentsAsData: number;
}

/**
 * The session shapes of one session. Documents that foreign pages load have their own shape. Both shapes share the
 * count of parts.
 */
interface Shapes {
  readonly parts: LoadedParts;
  readonly own: SessionShape;
  readonly foreign: SessionShape;
}

export interface SeenNetwork {
  readonly network: string;
  /** The autonomous system of the network. When it is unknown, a wider network. */
  readonly system: string;
  lastAt: number;
}

/**
 * Many people can share an address. When an address has had this many times the pages of one pass, its older passes are
 * used up.
 */
const SOFT_LIMIT = 20;
/** When an address has had this many times the pages of one pass, all its pages have to wait, even with a new pass. */
const HARD_LIMIT = 60;

interface PageCounter {
  /** A counter of rules/gcra.ts, in epoch milliseconds. */
  value: number;
  readonly budget: Budget;
}

/** Counters for the pages of all passes at an address, or in an IPv6 network around it. */
interface AddressRecord {
  readonly soft: PageCounter;
  readonly hard: PageCounter;
}

/**
 * The recent requests of passes and addresses in this thread. One look-up finds all counters of a pass or of an
 * address. Organisations share the table, but each organisation has its own records.
 */
export class PassTable {
  readonly #passes = new LazyCache<PassRecord>(MAX_PASSES);
  /** The shapes of sessions. They are looked up only for a new pass. */
  readonly #shapes = new LazyCache<Shapes>(MAX_PASSES);
  readonly #networks = new LazyCache<AddressRecord>(MAX_ADDRESSES);
  /** For each address, its own record and those of the networks around it. */
  readonly #addresses = new LazyCache<readonly AddressRecord[]>(MAX_ADDRESSES);

  /**
   * The record of a pass. `root` is the root of the session, and `passedAt` distinguishes the passes of the session.
   */
  pass(root: string, passedAt: number, isForeign: boolean): PassRecord {
    const key = `${root} ${passedAt}${isForeign ? ' foreign' : ''}`;
    let record = this.#passes.get(key);
    if (record === undefined) {
      const { parts, own, foreign } = this.#shapesOf(root);
      record = {
        name: key,
        requests: 0,
        pages: 0,
        documents: 0,
        files: 0,
        spentUntil: 0,
        waiting: { count: 0, since: 0 },
        waitingParts: { count: 0, since: 0 },
        networks: [],
        shape: isForeign ? foreign : own,
        parts,
        gotPage: false,
        documentsAsData: 0,
      };
      this.#passes.set(key, record);
    }
    return record;
  }

  /**
   * The records of an address and of the networks around it. `chargesOf` returns the budget of one pass for each of
   * these. `ip` is spelled as `parseIp` returns it.
   */
  address(organisation: string, ip: string, chargesOf: AddressCharges): readonly AddressRecord[] {
    const key = `${organisation} ${ip}`;
    let records = this.#addresses.get(key);
    if (records === undefined) {
      records = chargesOf(ip).map(({ subject, budget }) =>
        this.#network(`${organisation} ${subject}`, budget),
      );
      this.#addresses.set(key, records);
    }
    return records;
  }

  #shapesOf(root: string): Shapes {
    let shapes = this.#shapes.get(root);
    if (shapes === undefined) {
      const parts = { count: 0 };
      shapes = { parts, own: new SessionShape(parts), foreign: new SessionShape(parts) };
      this.#shapes.set(root, shapes);
    }
    return shapes;
  }

  #network(key: string, budget: Budget): AddressRecord {
    let record = this.#networks.get(key);
    if (record === undefined) {
      const counter = (times: number): PageCounter => ({
        value: 0,
        budget: { ...budget, requests: budget.requests * times },
      });
      record = { soft: counter(SOFT_LIMIT), hard: counter(HARD_LIMIT) };
      this.#networks.set(key, record);
    }
    return record;
  }
}
