import type { Budget, Clock, Ending, RequestEnded, Session } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../request/facts.ts';
import { isPage, isPartOfPage } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { waitFor, withOneMore } from '../rules/gcra.ts';
import { isShortPass, SHORT_PASS_PART } from '../session/short-pass.ts';
import { PartsOfSites } from './parts-of-sites.ts';
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

/** What one pass holds. */
interface Budgets {
  readonly requests: Budget;
  readonly pages: Budget;
  readonly documents: Budget;
  readonly atOnce: number;
}

/** A session that passed, and what it is known by. */
export type Passed = Extract<SessionFact, { session: unknown }>;

/** One request of it. The fields are those of Deciding. */
export interface Taking {
  readonly facts: Facts;
  readonly site: string;
  readonly endIsTold: boolean;
  readonly clock: Clock;
}

/** What a passed challenge is still good for. */
export type Allowance =
  | { readonly kind: 'within'; readonly ended?: RequestEnded }
  /** The visitor has to pass again. Then the session has its budgets anew. */
  | { readonly kind: 'used_up'; readonly reason: 'session_limit_exceeded' | 'session_shape' }
  | { readonly kind: 'wait'; readonly waitMs: number };

const WITHIN: Allowance = { kind: 'within' };
const USED_UP: Allowance = { kind: 'used_up', reason: 'session_limit_exceeded' };
const OF_A_PROGRAM: Allowance = { kind: 'used_up', reason: 'session_shape' };
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
  readonly #full: Budgets;
  /** The budgets of a pass with doubts, and of a rejected session that monitor mode lets pass. */
  readonly #short: Budgets;
  readonly #pagesOfAddress: AddressCharges;
  /** Undefined where the shape of a session is not used. */
  readonly #parts: PartsOfSites | undefined;

  /** Undefined where the organisation sets no limits. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    passes: PassTable,
  ): SessionLimits | undefined {
    const { session_limits: limits, session_shape: isShapeRead } = challenge;
    return limits === false ? undefined : new SessionLimits(id, limits, isShapeRead, passes);
  }

  constructor(organisation: string, limits: Limits, isShapeRead: boolean, passes: PassTable) {
    this.#organisation = organisation;
    this.#passes = passes;
    this.#full = budgetsOf(limits, 1);
    this.#short = budgetsOf(limits, SHORT_PASS_PART);
    this.#pagesOfAddress = compileAddressCharges(this.#full.pages);
    this.#parts = isShapeRead ? new PartsOfSites() : undefined;
  }

  /** Counts one request of a session that passed. */
  take({ id, session }: Passed, taking: Taking): Allowance {
    const { facts, endIsTold } = taking;
    const nowMs = taking.clock();
    // What a foreign page sends from a visitor's browser has counters of its own, and takes nothing from the visitor.
    const isForeign = facts.headers['sec-fetch-site'] === 'cross-site';
    const pass = this.#passes.pass(sessionRoot(id), session.judgedAt, isForeign);
    const budgets = this.#budgetsOf(session);
    const asksForPage = isPage(facts);
    if (areTooManyNetworks(pass.networks, facts, nowMs) || nowMs < pass.spentUntil) {
      return asksForPage ? USED_UP : WAIT_FOR_PASS;
    }
    if (!asksForPage && isPartOfPage(facts)) {
      return endIsTold ? this.#awaitPart(facts.ip, pass, budgets, nowMs) : WITHIN;
    }
    const waitMs = waitFor(pass.requests, nowMs, budgets.requests);
    if (waitMs > 0) return asksForPage ? USED_UP : { kind: 'wait', waitMs };
    pass.requests = withOneMore(pass.requests, nowMs, budgets.requests);
    if (asksForPage) {
      const taken = this.#takePage(facts.ip, pass, budgets, nowMs - session.judgedAt, nowMs);
      if (taken !== WITHIN) return taken;
      if (this.#isOfProgram(pass, session.judgedAt, taking, nowMs)) return OF_A_PROGRAM;
    }
    if (!endIsTold) return WITHIN;
    if (!begin(pass.waiting, budgets.atOnce, nowMs)) return TOO_MANY_AT_ONCE;
    const documents = asksForPage ? NO_DOCUMENTS : OF_DATA;
    return this.#awaitEnd(facts.ip, pass, pass.waiting, documents, budgets, nowMs);
  }

  /**
   * Notes a page. True where two of three say that a program walks through the site. Parts of pages tell nothing where
   * the sessions of the site load few of them. Needs a gateway, which asks for all that a browser loads.
   */
  #isOfProgram(
    { shape }: PassRecord,
    passedAt: number,
    { facts, site, endIsTold }: Taking,
    nowMs: number,
  ): boolean {
    const parts = this.#parts;
    if (parts === undefined || !endIsTold) return false;
    if (shape.isFound(passedAt)) return true;
    const seen = shape.add(facts, nowMs);
    if (seen === undefined) return false;
    const { hasParts, isRegular, isWalk } = seen;
    const lacksParts = !hasParts && parts.areUsual(site);
    // What moves like a program does not teach what is usual for people.
    if (!isRegular && !shape.hasTaught) {
      shape.hasTaught = true;
      parts.learn(site, hasParts);
    }
    if (Number(lacksParts) + Number(isRegular) + Number(isWalk) < 2) return false;
    shape.found(passedAt);
    return true;
  }

  #budgetsOf(session: Session): Budgets {
    return session.state === 'rejected' || isShortPass(session) ? this.#short : this.#full;
  }

  /** WITHIN where the page fits all budgets. One that has to wait for its address takes nothing from it. */
  #takePage(
    ip: string,
    pass: PassRecord,
    { pages }: Budgets,
    ageMs: number,
    nowMs: number,
  ): Allowance {
    if (waitFor(pass.pages, nowMs, pages) > 0) return USED_UP;
    pass.pages = withOneMore(pass.pages, nowMs, pages);
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

  #awaitPart(ip: string, pass: PassRecord, budgets: Budgets, nowMs: number): Allowance {
    const { waitingParts } = pass;
    if (!begin(waitingParts, budgets.atOnce * PARTS_AT_ONCE, nowMs)) return TOO_MANY_AT_ONCE;
    return this.#awaitEnd(ip, pass, waitingParts, OF_PARTS, budgets, nowMs);
  }

  /** Each of these endings is a document more, and a page of its address. */
  #awaitEnd(
    ip: string,
    pass: PassRecord,
    waiting: Waiting,
    documents: readonly Ending[],
    { documents: budget }: Budgets,
    nowMs: number,
  ): Allowance {
    return {
      kind: 'within',
      ended: (how) => {
        end(waiting);
        if (documents !== NO_DOCUMENTS && how !== 'document') pass.parts.count += 1;
        if (!documents.includes(how)) return;
        const isFree = waitFor(pass.documents, nowMs, budget) === 0;
        if (isFree && (how !== 'document' || this.#takeOfAddress(ip, nowMs))) {
          pass.documents = withOneMore(pass.documents, nowMs, budget);
        } else {
          pass.spentUntil = nowMs + RECENT_MS;
        }
      },
    };
  }

  /** False where the pages of an address are used up, also with a new pass. */
  #takeOfAddress(ip: string, nowMs: number): boolean {
    const records = this.#passes.address(this.#organisation, ip, this.#pagesOfAddress);
    if (records.some(({ most }) => waitFor(most.held, nowMs, most.budget) > 0)) return false;
    for (const { most } of records) most.held = withOneMore(most.held, nowMs, most.budget);
    return true;
  }
}

function budgetsOf(limits: Limits, part: number): Budgets {
  const of = (requests: number, perMs: number): Budget => ({
    requests: Math.max(1, Math.floor(requests * part)),
    perMs,
  });
  return {
    requests: of(limits.requests_per_minute, MINUTE_MS),
    pages: of(limits.pages_per_hour, HOUR_MS),
    documents: of(limits.pages_per_hour * DOCUMENTS_AS_DATA, HOUR_MS),
    // Whole, also for a short pass: this is how browsers load a page, and no amount.
    atOnce: limits.at_once,
  };
}
