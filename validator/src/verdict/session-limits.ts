import type { Budget, Clock, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import { LRUCache } from 'lru-cache';
import type { Facts, SessionFact } from '../request/facts.ts';
import { isPartOfPage } from '../request/part-of-page.ts';
import { representationFor } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { SessionNetworks } from './session-networks.ts';
import { UnderWay } from './under-way.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Documents in answer to data, for each page: lists that grow, and pages that ask for a part of themselves. */
const DOCUMENTS_AS_DATA = 10;

/** Parts that may wait at the same time, for each request that is none. */
const PARTS_AT_ONCE = 10;

/** Many people share an address. Above so many budgets of pages the older passes of it are used up. */
const BUDGETS_OF_AN_ADDRESS = 20;
/** Above so many its pages have to wait, whatever passes it makes. */
const MOST_BUDGETS_OF_AN_ADDRESS = 60;

/** So young a passed challenge is not asked for again when the budget of its address is used up. */
const RECENT_MS = 10 * MINUTE_MS;

/** Requests that wait for the origin are soon fewer. */
const SHORT_WAIT_MS = 1_000;

/** Passes that are remembered because their documents are used up. */
const MAX_SPENT = 8_192;

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
const DOCUMENTS_SPENT: Allowance = { kind: 'wait', waitMs: MINUTE_MS };

/** Names of the counters: of one pass, and of an address. */
type Counter = 'requests' | 'pages' | 'documents' | 'address' | 'most';

/**
 * What one passed challenge is good for. A pass costs a program little, so it must not be worth much: no more
 * requests and pages than a person needs. Each process counts for itself, which asks no shared store.
 *
 * A pass that comes from many networks is shared, and is used up too.
 *
 * Parts of pages (styles, pictures) are not counted, unless the origin answers with a document or data. A page above a
 * budget leads to the challenge, which a browser passes by itself. Data above a budget has to wait: a script of a
 * page cannot pass.
 */
export class SessionLimits {
  readonly #name: Readonly<Record<Counter, string>>;
  readonly #requests: Budget;
  readonly #pages: Budget;
  readonly #documents: Budget;
  readonly #pagesOfAddress: AddressCharges;
  readonly #mostOfAddress: AddressCharges;
  readonly #atOnce: number;
  readonly #underWay = new UnderWay();
  readonly #networks = new SessionNetworks();
  /** Passes whose documents are used up. */
  readonly #spent = new LRUCache<string, true>({ max: MAX_SPENT, ttl: RECENT_MS });

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
    const nameOf = (counter: Counter) => `session-${counter}:${organisation}`;
    this.#name = {
      requests: nameOf('requests'),
      pages: nameOf('pages'),
      documents: nameOf('documents'),
      address: nameOf('address'),
      most: nameOf('most'),
    };
    const pages = (factor: number) => ({
      requests: limits.pages_per_hour * factor,
      perMs: HOUR_MS,
    });
    this.#requests = { requests: limits.requests_per_minute, perMs: MINUTE_MS };
    this.#pages = pages(1);
    this.#documents = pages(DOCUMENTS_AS_DATA);
    this.#pagesOfAddress = compileAddressCharges(pages(BUDGETS_OF_AN_ADDRESS));
    this.#mostOfAddress = compileAddressCharges(pages(MOST_BUDGETS_OF_AN_ADDRESS));
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
    // What a foreign page sends from a visitor's browser has counters of its own, and takes nothing from the visitor.
    const isForeign = facts.headers['sec-fetch-site'] === 'cross-site';
    const pass = `${id} ${session.judgedAt}${isForeign ? ' foreign' : ''}`;
    const isPage = representationFor(facts) === 'html';
    const isSpent = this.#spent.has(pass);
    if (isSpent) return isPage ? USED_UP : DOCUMENTS_SPENT;
    if (!isPage && isPartOfPage(facts)) {
      return this.#await(`parts ${pass}`, this.#atOnce * PARTS_AT_ONCE, endIsTold, (how) => {
        if (how !== 'other') this.#countDocument(pass, store);
      });
    }
    const nowMs = clock();
    const areTooMany = this.#networks.areTooMany(pass, facts, nowMs);
    if (areTooMany && isPage) return USED_UP;
    const waitMs = store.takeHere(this.#name.requests, pass, this.#requests);
    if (waitMs > 0) return isPage ? USED_UP : { kind: 'wait', waitMs };
    const refused = isPage ? this.#takePage(facts, pass, nowMs - session.judgedAt, store) : WITHIN;
    if (refused !== WITHIN) return refused;
    return this.#await(pass, this.#atOnce, endIsTold, (how) => {
      if (how === 'document' && !isPage) this.#countDocument(pass, store);
    });
  }

  /** WITHIN where the page fits all budgets. */
  #takePage(facts: Facts, pass: string, ageMs: number, store: SessionStore): Allowance {
    if (store.takeHere(this.#name.pages, pass, this.#pages) > 0) return USED_UP;
    const wait = (counter: Counter, chargesOf: AddressCharges) => {
      let longest = 0;
      for (const { subject, budget } of chargesOf(facts.ip)) {
        longest = Math.max(longest, store.takeHere(this.#name[counter], subject, budget));
      }
      return longest;
    };
    const waitMs = wait('most', this.#mostOfAddress);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    return wait('address', this.#pagesOfAddress) > 0 && ageMs > RECENT_MS ? USED_UP : WITHIN;
  }

  /** Waits for the end of a request, where there is room. */
  #await(subject: string, atOnce: number, endIsTold: boolean, count: RequestEnded): Allowance {
    if (!endIsTold) return WITHIN;
    if (!this.#underWay.begin(subject, atOnce)) return TOO_MANY_AT_ONCE;
    return {
      kind: 'within',
      ended: (how) => {
        this.#underWay.end(subject);
        count(how);
      },
    };
  }

  #countDocument(pass: string, store: SessionStore): void {
    const waitMs = store.takeHere(this.#name.documents, pass, this.#documents);
    if (waitMs > 0) this.#spent.set(pass, true);
  }
}
