import type { Budget, Ending, RequestEnded } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../request/facts.ts';
import { isPage, isPartOfPage } from '../request/part-of-page.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { waitFor, withOneMore } from '../rules/gcra.ts';
import type { PassRecord, PassTable } from './pass-table.ts';
import { areTooManyNetworks } from './session-networks.ts';
import { begin, end, type Waiting } from './under-way.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Documents in answer to data, for each page: lists that grow, and pages that ask for a part of themselves. */
const DOCUMENTS_AS_DATA = 10;

/** Parts that may wait at the same time, for each request that is none. */
const PARTS_AT_ONCE = 10;

/** So young a passed challenge is not asked for again when the budget of its address is used up. */
const RECENT_MS = 10 * MINUTE_MS;

/** Requests that wait for the origin are soon fewer. */
const SHORT_WAIT_MS = 1_000;

type Limits = Exclude<Organisation['challenge']['session_limits'], false>;

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
/** A page that is challenged mends it: data and parts only have to wait for that. */
const WAIT_FOR_PASS: Allowance = { kind: 'wait', waitMs: MINUTE_MS };

/** What counts as a document, of answers to pages, to data and to parts of pages. A page was counted before. */
const NO_DOCUMENTS: readonly Ending[] = [];
const OF_DATA: readonly Ending[] = ['document'];
const OF_PARTS: readonly Ending[] = ['document', 'data'];

/**
 * What one passed challenge is good for. A pass costs a program little, so it must not be worth much: no more
 * requests and pages than a person needs. Each thread counts for itself, which asks no shared store.
 *
 * A pass that comes from many networks is shared, and is used up too.
 *
 * Parts of pages (styles, pictures) are not counted, unless the origin answers with a document or data. A page above a
 * budget leads to the challenge, which a browser passes by itself. Data above a budget has to wait: a script of a
 * page cannot pass.
 */
export class SessionLimits {
  readonly #organisation: string;
  readonly #passes: PassTable;
  readonly #requests: Budget;
  readonly #pages: Budget;
  readonly #documents: Budget;
  readonly #pagesOfAddress: AddressCharges;
  readonly #atOnce: number;

  /** Undefined where the organisation sets no limits. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    passes: PassTable,
  ): SessionLimits | undefined {
    const { session_limits: limits } = challenge;
    return limits === false ? undefined : new SessionLimits(id, limits, passes);
  }

  constructor(organisation: string, limits: Limits, passes: PassTable) {
    const { requests_per_minute: requests, pages_per_hour: pages, at_once: atOnce } = limits;
    this.#organisation = organisation;
    this.#passes = passes;
    this.#requests = { requests, perMs: MINUTE_MS };
    this.#pages = { requests: pages, perMs: HOUR_MS };
    this.#documents = { requests: pages * DOCUMENTS_AS_DATA, perMs: HOUR_MS };
    this.#pagesOfAddress = compileAddressCharges(this.#pages);
    this.#atOnce = atOnce;
  }

  /** Counts one request of a session that passed. `endIsTold` as in Deciding. */
  take(facts: Facts, { id, session }: Passed, nowMs: number, endIsTold: boolean): Allowance {
    // What a foreign page sends from a visitor's browser has counters of its own, and takes nothing from the visitor.
    const isForeign = facts.headers['sec-fetch-site'] === 'cross-site';
    const pass = this.#passes.pass(`${id} ${session.judgedAt}${isForeign ? ' foreign' : ''}`);
    const asksForPage = isPage(facts);
    if (areTooManyNetworks(pass.networks, facts, nowMs) || nowMs < pass.spentUntil) {
      return asksForPage ? USED_UP : WAIT_FOR_PASS;
    }
    if (!asksForPage && isPartOfPage(facts)) {
      return endIsTold ? this.#awaitPart(pass, nowMs) : WITHIN;
    }
    const waitMs = waitFor(pass.requests, nowMs, this.#requests);
    if (waitMs > 0) return asksForPage ? USED_UP : { kind: 'wait', waitMs };
    pass.requests = withOneMore(pass.requests, nowMs, this.#requests);
    if (asksForPage) {
      const taken = this.#takePage(facts.ip, pass, nowMs - session.judgedAt, nowMs);
      if (taken !== WITHIN) return taken;
    }
    if (!endIsTold) return WITHIN;
    if (!begin(pass.waiting, this.#atOnce, nowMs)) return TOO_MANY_AT_ONCE;
    return this.#await(pass, pass.waiting, asksForPage ? NO_DOCUMENTS : OF_DATA, nowMs);
  }

  /** WITHIN where the page fits all budgets. One that has to wait for its address takes nothing from it. */
  #takePage(ip: string, pass: PassRecord, ageMs: number, nowMs: number): Allowance {
    if (waitFor(pass.pages, nowMs, this.#pages) > 0) return USED_UP;
    pass.pages = withOneMore(pass.pages, nowMs, this.#pages);
    const records = this.#passes.address(this.#organisation, ip, this.#pagesOfAddress);
    let waitMs = 0;
    let areMany = false;
    for (const { many, most } of records) {
      waitMs = Math.max(waitMs, waitFor(most.held, nowMs, most.budget));
      areMany ||= waitFor(many.held, nowMs, many.budget) > 0;
    }
    if (waitMs > 0) return { kind: 'wait', waitMs };
    for (const { many, most } of records) {
      most.held = withOneMore(most.held, nowMs, most.budget);
      if (!areMany) many.held = withOneMore(many.held, nowMs, many.budget);
    }
    return areMany && ageMs > RECENT_MS ? USED_UP : WITHIN;
  }

  #awaitPart(pass: PassRecord, nowMs: number): Allowance {
    const { waitingParts } = pass;
    if (!begin(waitingParts, this.#atOnce * PARTS_AT_ONCE, nowMs)) return TOO_MANY_AT_ONCE;
    return this.#await(pass, waitingParts, OF_PARTS, nowMs);
  }

  /** Each of these endings is a document more. */
  #await(
    pass: PassRecord,
    waiting: Waiting,
    documents: readonly Ending[],
    nowMs: number,
  ): Allowance {
    return {
      kind: 'within',
      ended: (how) => {
        end(waiting);
        if (documents.includes(how)) this.#countDocument(pass, nowMs);
      },
    };
  }

  #countDocument(pass: PassRecord, nowMs: number): void {
    if (waitFor(pass.documents, nowMs, this.#documents) > 0) pass.spentUntil = nowMs + RECENT_MS;
    else pass.documents = withOneMore(pass.documents, nowMs, this.#documents);
  }
}
