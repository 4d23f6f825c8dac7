import type { Budget, Ending, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { addressGroup } from '@guard/config/net/network-of';
import { clientShape } from '../../request/client-shape.ts';
import type { Facts } from '../../request/facts.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { afterWith } from '../../session/after-with.ts';
import { reserve } from '../counts/reserve.ts';
import { isClaimedMedia } from '../documents.ts';

/**
 * Lets a browser that loaded no page load media. Other sites, mails and unprotected pages show pictures and films of
 * this site whose path has no file extension, and their visitors loaded no page here. So Guard believes the claim that
 * a request is for media, and the answer shows whether it was true. A program can claim media to get pages. So all
 * clients of a shape together are allowed few false claims, and an address is allowed as many false claims as it has
 * free pages.
 */
export class ClaimedMedia {
  readonly #name: string;
  readonly #counter: string;
  readonly #chargesOfAddress: AddressCharges;
  readonly #shapeBudget: Budget;

  /** `pages` are the free pages of an address, and `shapeBudget` are those of a client shape. */
  constructor(organisation: string, pages: Budget, shapeBudget: Budget) {
    this.#name = `false-media:${organisation}`;
    this.#counter = `reserved-media:${organisation}`;
    this.#chargesOfAddress = compileAddressCharges(pages);
    this.#shapeBudget = shapeBudget;
  }

  /** Whether the request claims to be for media, and its address has not made too many false claims. */
  isBelieved(facts: Facts, store: SessionStore): MaybePromise<boolean> {
    if (!isClaimedMedia(facts)) return false;
    const isDisbelieved = store.remembers(this.#name, addressGroup(facts.ip));
    return afterWith(isDisbelieved, undefined, (isFalseAddress) => !isFalseAddress);
  }

  /**
   * Takes one false claim from the budgets of the address and of its shape, before the answer goes to the visitor.
   * Returns the function that gives it back, or undefined when one of the budgets is used up. Then Guard does not believe
   * the claims of the address any more, unless a network around it has used up its budget.
   */
  reserve(facts: Facts, store: SessionStore): (() => void) | undefined {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#shapeBudget };
    const charges = this.#chargesOfAddress(facts.ip);
    const giveBack = reserve(this.#counter, [...charges, shape], store);
    if (giveBack !== undefined) return giveBack;
    // A visitor with a used-up /48 has 65,536 networks. Each of them would add an entry for itself.
    const giveBackWider = reserve(this.#counter, charges.slice(1), store);
    if (giveBackWider === undefined) return undefined;
    giveBackWider();
    this.stopBelieving(facts, store);
    return undefined;
  }

  /** Stops believing an address. Call this when the address has no free page left for a false claim. */
  stopBelieving(facts: Facts, store: SessionStore): void {
    void store.remember(this.#name, addressGroup(facts.ip), this.#shapeBudget.perMs);
  }
}

/** Whether an answer shows that the claim was false. An error shows nothing. */
export function isFalse(answerKind: Ending): boolean {
  return answerKind !== 'other';
}
