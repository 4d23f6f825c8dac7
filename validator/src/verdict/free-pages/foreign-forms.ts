import type { Budget, Charge, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { clientShape } from '../../request/client-shape.ts';
import { formSource } from '../../request/form-source.ts';
import { compileAddressCharges } from '../../rules/address-charges.ts';
import { afterWith } from '../../session/after-with.ts';

/**
 * Number of forms for each free page: two forms for the usual five pages. A payment with 3-D Secure can come back with
 * two forms.
 */
const FORMS_OF_A_PAGE = 2 / 5;

/**
 * Lets a few forms of other sites pass for visitors without free pages, for example the return of a payment or of a
 * sign-in. The challenge page cannot send such a form again (request/form-source.ts). Often the visitor cannot either:
 * many of these forms are valid only once, and their page is not in the history of the tab.
 */
export class ForeignForms {
  readonly #counter: string;
  readonly #chargesOfAddress: (ip: string) => readonly Charge[];
  readonly #budgetOfShape: Budget;

  /**
   * `pages` are the free pages of an address. A client shape has `budgetsOfShape` times as many forms as an address.
   */
  constructor(organisation: string, pages: Budget, budgetsOfShape: number) {
    const budget = { ...pages, requests: Math.ceil(pages.requests * FORMS_OF_A_PAGE) };
    this.#counter = `foreign-forms:${organisation}`;
    this.#chargesOfAddress = compileAddressCharges(budget);
    this.#budgetOfShape = { ...budget, requests: budget.requests * budgetsOfShape };
  }

  /**
   * Counts a request for which no free page is left. Returns `page` when the request is such a form and the budget
   * allows it.
   */
  take(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    if (facts.method !== 'POST' || formSource(facts) !== 'foreign') return 'spent';
    const shapeCharge = { subject: `shape ${clientShape(facts)}`, budget: this.#budgetOfShape };
    const charges = [...this.#chargesOfAddress(facts.ip), shapeCharge];
    const waitMs = store.takeAll(this.#counter, charges);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
