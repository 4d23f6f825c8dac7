import type { Budget } from '@guard/config/contract/ports';
import type { AddressCharges } from '../../rules/address-charges.ts';
import { LateCache } from '../counts/late-cache.ts';
import { type LoadedParts, SessionShape } from './session-shape.ts';
import type { WaitingCount } from '../counts/under-way.ts';

/**
 * Maximum number of passes, and of addresses, that are counted. Above this number, the entry unused longest is
 * forgotten.
 */
const MAX_PASSES = 16_384;
const MAX_ADDRESSES = 16_384;

/** The recent requests of one pass. The counters are those of rules/gcra.ts, in epoch milliseconds. */
export interface PassRecord {
  /** Names the pass among all passes. */
  readonly name: string;
  requests: number;
  pages: number;
  documents: number;
  /** Parts of pages, whatever the origin answers. */
  files: number;
  /** Until this time the pass is used up, because its requests for data and parts got too many documents. */
  spentUntil: number;
  /** Counts of waiting requests, and of waiting parts of pages. */
  readonly waiting: WaitingCount;
  readonly waitingParts: WaitingCount;
  readonly networks: SeenNetwork[];
  /** The shape of the session. All passes of the session share it. */
  readonly shape: SessionShape;
  readonly parts: LoadedParts;
}

/** Documents that foreign pages load have their own session shape. Both shapes share the count of parts. */
interface Shapes {
  readonly parts: LoadedParts;
  readonly own: SessionShape;
  readonly foreign: SessionShape;
}

export interface SeenNetwork {
  readonly network: string;
  /** The autonomous system of the network, or a wider network when the system is not known. */
  readonly system: string;
  lastAt: number;
}

/** Many people share an address. Above this many times the pages of one pass, its older passes are used up. */
const SOFT_LIMIT = 20;
/** Above this many times the pages of one pass, all pages of the address have to wait, even with a new pass. */
const HARD_LIMIT = 60;

interface PageCounter {
  held: number;
  readonly budget: Budget;
}

/** The pages of all passes of an address, or of an IPv6 network around it. */
interface AddressRecord {
  readonly soft: PageCounter;
  readonly hard: PageCounter;
}

/**
 * The recent requests of passes and addresses, in this thread. One look-up finds all counters of a pass or of an
 * address. Organisations share the table, but each has its own records.
 */
export class PassTable {
  readonly #passes = new LateCache<PassRecord>(MAX_PASSES);
  /** Read only for a new pass. */
  readonly #shapes = new LateCache<Shapes>(MAX_PASSES);
  readonly #networks = new LateCache<AddressRecord>(MAX_ADDRESSES);
  /** The records of each address and of the networks around it. */
  readonly #addresses = new LateCache<readonly AddressRecord[]>(MAX_ADDRESSES);

  /** `root` is the root of a session of one organisation. `passedAt` distinguishes the passes of this session. */
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
      };
      this.#passes.set(key, record);
    }
    return record;
  }

  /** `chargesOf` returns the budget of one pass for each network. `ip` has the form that `parseIp` returns. */
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
        held: 0,
        budget: { ...budget, requests: budget.requests * times },
      });
      record = { soft: counter(SOFT_LIMIT), hard: counter(HARD_LIMIT) };
      this.#networks.set(key, record);
    }
    return record;
  }
}
