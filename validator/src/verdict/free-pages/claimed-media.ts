import type { Budget, Ending, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { addressGroup, ipv6NetworkOf } from '@guard/config/net/network-of';
import { clientShape } from '../../request/client-shape.ts';
import type { Facts } from '../../request/facts.ts';
import { afterWith } from '../../session/after-with.ts';
import { isClaimedMedia } from '../documents.ts';
import { FORGOTTEN_MS, UnderWay } from '../counts/under-way.ts';

/**
 * A shape can have this many claims waiting for the origin at the same time, for each false claim that it is allowed.
 */
const CLAIMS_AT_ONCE = 4;

/** An address can have at most this share of the waiting claims that the other addresses of its shape do not use. */
const SHARE_OF_FREE = 1 / 4;

/**
 * Lets a browser that loaded no page load media. Other sites, mails and unprotected pages show pictures and films of
 * this site whose path has no file extension, and their visitors loaded no page here. So Guard believes the claim that
 * a request is for media, and the answer shows whether it was true. A program can claim media to get pages. So all
 * clients of a shape together are allowed few false claims, and an address is allowed as many false claims as it has
 * free pages.
 */
export class ClaimedMedia {
  readonly #name: string;
  readonly #shapeBudget: Budget;
  readonly #underWay: UnderWay;
  /** How many claims can wait for the origin at the same time, for all addresses of a shape, and for one address. */
  readonly #limits: Readonly<Record<'shape' | 'address', Budget>>;

  constructor(organisation: string, shapeBudget: Budget) {
    this.#name = `false-media:${organisation}`;
    this.#shapeBudget = shapeBudget;
    this.#underWay = new UnderWay(`claims-under-way:${organisation}`);
    const requests = shapeBudget.requests * CLAIMS_AT_ONCE;
    this.#limits = {
      shape: { requests, perMs: FORGOTTEN_MS },
      address: { requests: Math.floor(requests * SHARE_OF_FREE), perMs: FORGOTTEN_MS },
    };
  }

  /**
   * Whether the request claims to be for media, and neither its address nor its shape has made too many false claims.
   */
  isBelieved(facts: Facts, store: SessionStore): MaybePromise<boolean> {
    if (!isClaimedMedia(facts)) return false;
    const isAddressFalse = store.remembers(this.#name, addressGroup(facts.ip));
    const isShapeFalse = store.remembers(this.#name, shapeName(facts));
    return afterWith(isAddressFalse, isShapeFalse, (address, shape) =>
      afterWith(shape, address, (isShape, isAddress) => !isShape && !isAddress),
    );
  }

  /**
   * Counts one more waiting claim for the shape and for the address (IPv6: the /48), and returns the function to call
   * at its end. Undefined when too many claims wait. Then it counts nothing. Without the limit for an address, one
   * address could use up the claims of all people with the same browser.
   */
  begin(facts: Facts, store: SessionStore, nowMs: number): (() => void) | undefined {
    const { ip } = facts;
    const shape = shapeName(facts);
    const ofShape = this.#underWay.subject(shape, this.#limits.shape);
    const ofAddress = this.#underWay.subject(
      `${shape} ${ip.includes(':') ? ipv6NetworkOf(ip, 48) : ip}`,
      this.#limits.address,
    );
    const limit = this.#limits.shape.requests;
    const free = limit - ofShape.count + ofAddress.count;
    const ofFree = Math.max(1, Math.floor(free * SHARE_OF_FREE));
    if (!this.#underWay.begin(ofAddress, ofFree, nowMs, store)) return undefined;
    if (!this.#underWay.begin(ofShape, limit, nowMs, store)) {
      this.#underWay.end(ofAddress, store);
      return undefined;
    }
    return () => {
      this.#underWay.end(ofAddress, store);
      this.#underWay.end(ofShape, store);
    };
  }

  noteFalse(facts: Facts, store: SessionStore): void {
    const shape = shapeName(facts);
    void afterWith(store.take(this.#name, shape, this.#shapeBudget), undefined, (wait) => {
      if (wait > 0) void store.remember(this.#name, shape, this.#shapeBudget.perMs);
    });
  }

  /** Stops to believe an address. Call this when it has no free page left for a false claim. */
  disbelieve(facts: Facts, store: SessionStore): void {
    void store.remember(this.#name, addressGroup(facts.ip), this.#shapeBudget.perMs);
  }
}

/** Whether an answer shows that the claim was false. An error is no such answer. */
export function isFalse(answerKind: Ending): boolean {
  return answerKind !== 'other';
}

function shapeName(facts: Facts): string {
  return `shape ${clientShape(facts)}`;
}
