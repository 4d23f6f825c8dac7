import type { Budget, RequestEnded } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../request/facts.ts';
import { isPage, isPartOfPage } from '../request/part-of-page.ts';
import { waitFor, withOneMore } from '../rules/gcra.ts';
import type { PassRecord, PassTable } from './pass-table.ts';
import { areTooManyNetworks } from './session-networks.ts';
import { begin, end } from './under-way.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Documents in answer to data, for each page: lists that grow, and pages that ask for a part of themselves. */
const DOCUMENTS_AS_DATA = 10;

/** Parts that may wait at the same time, for each request that is none. */
const PARTS_AT_ONCE = 10;

/** Many people share an address. Above so many budgets of pages the older passes of it are used up. */
const BUDGETS = 20;
/** Above so many its pages have to wait, whatever passes it makes. */
const MOST_BUDGETS = 60;

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
const DOCUMENTS_SPENT: Allowance = { kind: 'wait', waitMs: MINUTE_MS };

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
  readonly #passes: PassTable;
  readonly #requests: Budget;
  readonly #pages: Budget;
  readonly #documents: Budget;
  readonly #atOnce: number;

  /** Undefined where the organisation sets no limits. */
  static of(
    { challenge }: Pick<Organisation, 'challenge'>,
    passes: PassTable,
  ): SessionLimits | undefined {
    const { session_limits: limits } = challenge;
    return limits === false ? undefined : new SessionLimits(limits, passes);
  }

  constructor(limits: Limits, passes: PassTable) {
    const { requests_per_minute: requests, pages_per_hour: pages, at_once: atOnce } = limits;
    this.#passes = passes;
    this.#requests = { requests, perMs: MINUTE_MS };
    this.#pages = { requests: pages, perMs: HOUR_MS };
    this.#documents = { requests: pages * DOCUMENTS_AS_DATA, perMs: HOUR_MS };
    this.#atOnce = atOnce;
  }

  /** Counts one request of a session that passed. `endIsTold` as in Deciding. */
  take(facts: Facts, { id, session }: Passed, nowMs: number, endIsTold: boolean): Allowance {
    // What a foreign page sends from a visitor's browser has counters of its own, and takes nothing from the visitor.
    const isForeign = facts.headers['sec-fetch-site'] === 'cross-site';
    const pass = this.#passes.pass(`${id} ${session.judgedAt}${isForeign ? ' foreign' : ''}`);
    const asksForPage = isPage(facts);
    if (nowMs < pass.spentUntil) return asksForPage ? USED_UP : DOCUMENTS_SPENT;
    if (!asksForPage && isPartOfPage(facts)) return this.#awaitPart(pass, nowMs, endIsTold);
    if (areTooManyNetworks(pass.networks, facts, nowMs) && asksForPage) return USED_UP;
    const waitMs = waitFor(pass.requests, nowMs, this.#requests);
    if (waitMs > 0) return asksForPage ? USED_UP : { kind: 'wait', waitMs };
    pass.requests = withOneMore(pass.requests, nowMs, this.#requests);
    if (!asksForPage) return this.#await(pass, false, nowMs, endIsTold);
    const taken = this.#takePage(facts.ip, pass, nowMs - session.judgedAt, nowMs);
    return taken === WITHIN ? this.#await(pass, true, nowMs, endIsTold) : taken;
  }

  /** WITHIN where the page fits all budgets. One that has to wait for its address takes nothing from it. */
  #takePage(ip: string, pass: PassRecord, ageMs: number, nowMs: number): Allowance {
    if (waitFor(pass.pages, nowMs, this.#pages) > 0) return USED_UP;
    pass.pages = withOneMore(pass.pages, nowMs, this.#pages);
    const records = this.#passes.address(ip);
    let waitMs = 0;
    let isOver = false;
    for (const { most, pages, budgets } of records) {
      waitMs = Math.max(waitMs, waitFor(most, nowMs, this.#pagesOf(budgets * MOST_BUDGETS)));
      isOver ||= waitFor(pages, nowMs, this.#pagesOf(budgets * BUDGETS)) > 0;
    }
    if (waitMs > 0) return { kind: 'wait', waitMs };
    for (const record of records) {
      record.most = withOneMore(record.most, nowMs, this.#pagesOf(record.budgets * MOST_BUDGETS));
      if (isOver) continue;
      record.pages = withOneMore(record.pages, nowMs, this.#pagesOf(record.budgets * BUDGETS));
    }
    return isOver && ageMs > RECENT_MS ? USED_UP : WITHIN;
  }

  #pagesOf(budgets: number): Budget {
    return { requests: this.#pages.requests * budgets, perMs: HOUR_MS };
  }

  #await(pass: PassRecord, wasPage: boolean, nowMs: number, endIsTold: boolean): Allowance {
    if (!endIsTold) return WITHIN;
    if (!begin(pass.waiting, this.#atOnce, nowMs)) return TOO_MANY_AT_ONCE;
    return {
      kind: 'within',
      ended: (how) => {
        end(pass.waiting);
        if (how === 'document' && !wasPage) this.#countDocument(pass, nowMs);
      },
    };
  }

  #awaitPart(pass: PassRecord, nowMs: number, endIsTold: boolean): Allowance {
    if (!endIsTold) return WITHIN;
    if (!begin(pass.waitingParts, this.#atOnce * PARTS_AT_ONCE, nowMs)) return TOO_MANY_AT_ONCE;
    return {
      kind: 'within',
      ended: (how) => {
        end(pass.waitingParts);
        if (how !== 'other') this.#countDocument(pass, nowMs);
      },
    };
  }

  #countDocument(pass: PassRecord, nowMs: number): void {
    if (waitFor(pass.documents, nowMs, this.#documents) > 0) pass.spentUntil = nowMs + RECENT_MS;
    else pass.documents = withOneMore(pass.documents, nowMs, this.#documents);
  }
}
