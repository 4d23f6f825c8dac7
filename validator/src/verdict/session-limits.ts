import type { Budget, Clock, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../request/facts.ts';
import { isPartOfPage } from '../request/part-of-page.ts';
import { representationFor } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { SessionNetworks } from './session-networks.ts';
import { UnderWay } from './under-way.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Many people share an address, so the sessions of one address have so many budgets of pages together. */
const BUDGETS_OF_AN_ADDRESS = 20;

/** So young a passed challenge is not asked for again when the budget of its address is used up. */
const RECENT_MS = 10 * MINUTE_MS;

/** Requests that wait for the origin are soon fewer. */
const SHORT_WAIT_MS = 1_000;

/** A session that passed, and what it is known by. */
export type Passed = Extract<SessionFact, { session: unknown }>;

/** What a passed challenge is still good for. */
export type Allowance =
  | { readonly kind: 'within'; readonly ended?: RequestEnded }
  /** The visitor has to pass again. Then the session has its budgets anew. */
  | { readonly kind: 'used_up' }
  | { readonly kind: 'wait'; readonly waitMs: number };

const WITHIN: Allowance = { kind: 'within' };
const USED_UP: Allowance = { kind: 'used_up' };
const TOO_MANY_AT_ONCE: Allowance = { kind: 'wait', waitMs: SHORT_WAIT_MS };

/**
 * What one passed challenge is good for. A pass costs a program little, so it must not be worth much: no more
 * requests and pages than a person needs. Each process counts for itself, which asks no shared store.
 *
 * A pass that comes from many networks is shared, and is used up too.
 *
 * Parts of pages (styles, pictures) are not counted, unless the origin answers with a document. A page above a
 * budget leads to the challenge, which a browser passes by itself. Data above a budget has to wait: a script of a
 * page cannot pass.
 */
export class SessionLimits {
  readonly #name: Readonly<Record<'requests' | 'pages' | 'address', string>>;
  readonly #requests: Budget;
  readonly #pages: Budget;
  readonly #pagesOfAddress: AddressCharges;
  readonly #atOnce: number;
  readonly #underWay = new UnderWay();
  readonly #networks = new SessionNetworks();

  /** Undefined where the organisation sets no limits. */
  static of({ id, challenge }: Pick<Organisation, 'id' | 'challenge'>): SessionLimits | undefined {
    const { session_limits: limits } = challenge;
    return limits === false ? undefined : new SessionLimits(id, limits);
  }

  constructor(
    organisation: string,
    limits: Exclude<Organisation['challenge']['session_limits'], false>,
  ) {
    // A rule's budget has a blank in its name, and these have none.
    this.#name = {
      requests: `session-requests:${organisation}`,
      pages: `session-pages:${organisation}`,
      address: `session-pages-of-address:${organisation}`,
    };
    this.#requests = { requests: limits.requests_per_minute, perMs: MINUTE_MS };
    this.#pages = { requests: limits.pages_per_hour, perMs: HOUR_MS };
    this.#pagesOfAddress = compileAddressCharges({
      requests: limits.pages_per_hour * BUDGETS_OF_AN_ADDRESS,
      perMs: HOUR_MS,
    });
    this.#atOnce = limits.at_once;
  }

  /** Counts one request of a session that passed. `endIsTold` as in Deciding. */
  take(
    facts: Facts,
    passed: Passed,
    store: SessionStore,
    clock: Clock,
    endIsTold: boolean,
  ): Allowance {
    const { id, session } = passed;
    const pass = `${id} ${session.judgedAt}`;
    const isPage = representationFor(facts) === 'html';
    if (!isPage && isPartOfPage(facts)) {
      return endIsTold ? { kind: 'within', ended: this.#countDocument(pass, store) } : WITHIN;
    }
    const nowMs = clock();
    const areTooMany = this.#networks.areTooMany(pass, facts, nowMs);
    if (areTooMany && isPage) return USED_UP;
    const waitMs = store.takeHere(this.#name.requests, pass, this.#requests);
    if (waitMs > 0) return isPage ? USED_UP : { kind: 'wait', waitMs };
    if (isPage && this.#isUsedUp(facts, pass, nowMs - session.judgedAt, store)) return USED_UP;
    if (!endIsTold) return WITHIN;
    if (!this.#underWay.begin(id, this.#atOnce)) return TOO_MANY_AT_ONCE;
    const countDocument = isPage ? undefined : this.#countDocument(pass, store);
    return {
      kind: 'within',
      ended: (how) => {
        this.#underWay.end(id);
        countDocument?.(how);
      },
    };
  }

  /** Above the budget of its address an older pass is used up, whosever pages they were. */
  #isUsedUp(facts: Facts, pass: string, ageMs: number, store: SessionStore): boolean {
    if (store.takeHere(this.#name.pages, pass, this.#pages) > 0) return true;
    let isOver = false;
    for (const { subject, budget } of this.#pagesOfAddress(facts.ip)) {
      if (store.takeHere(this.#name.address, subject, budget) > 0) isOver = true;
    }
    return isOver && ageMs > RECENT_MS;
  }

  #countDocument(pass: string, store: SessionStore): RequestEnded {
    return (how) => {
      if (how === 'document') store.takeHere(this.#name.pages, pass, this.#pages);
    };
  }
}
