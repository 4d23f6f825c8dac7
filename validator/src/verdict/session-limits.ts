import type { Budget, Clock, Ending, RequestEnded, Session } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../request/facts.ts';
import { countsAsPage } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { waitFor, withOneMore } from '../rules/gcra.ts';
import { isShortPass, SHORT_PASS_PART } from '../session/short-pass.ts';
import { isPlainPart } from './documents.ts';
import { PartsOfSites } from './parts-of-sites.ts';
import type { PassRecord, PassTable } from './pass-table.ts';
import { areTooManyNetworks } from './session-networks.ts';
import { begin, end, type Waiting } from './under-way.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Documents in answer to data, for each page. Lists that grow, and pages that load a part of themselves, need them. */
const DOCUMENTS_AS_DATA = 10;

/**
 * Parts of pages, for each page. Guard does not see each answer, and cannot tell each from a file, so a program could
 * ask for pages as pictures. Pages of galleries have fewer parts on average, because browsers keep them.
 */
const PARTS_OF_PAGE = 100;

/** Parts of pages that may wait at the same time, for each other request that may wait. */
const PARTS_AT_ONCE = 10;

/** A pass that is younger than this is not asked again when the budget of its address is used up. */
const RECENT_MS = 10 * MINUTE_MS;

/** The wait when too many requests wait for the origin. It is short, because they end soon. */
const SHORT_WAIT_MS = 1_000;

type Limits = Exclude<Organisation['challenge']['session_limits'], false>;

/** The budgets of one pass. */
interface Budgets {
  readonly requests: Budget;
  readonly pages: Budget;
  readonly documents: Budget;
  readonly parts: Budget;
  readonly atOnce: number;
}

/** A judged session with its id. */
export type Passed = Extract<SessionFact, { session: unknown }>;

/** One request of a session. The fields are those of Deciding. */
export interface Taking {
  readonly facts: Facts;
  readonly site: string;
  readonly reportsEnd: boolean;
  readonly clock: Clock;
}

/** Whether a passed challenge still allows a request. */
export type Allowance =
  | { readonly kind: 'within'; readonly ended?: RequestEnded }
  /** The visitor has to pass again. After that the session has full budgets. */
  | { readonly kind: 'used_up'; readonly reason: 'session_limit_exceeded' | 'session_shape' }
  | { readonly kind: 'wait'; readonly waitMs: number };

const WITHIN: Allowance = { kind: 'within' };
const USED_UP: Allowance = { kind: 'used_up', reason: 'session_limit_exceeded' };
const OF_A_PROGRAM: Allowance = { kind: 'used_up', reason: 'session_shape' };
const TOO_MANY_AT_ONCE: Allowance = { kind: 'wait', waitMs: SHORT_WAIT_MS };
/** For data and parts of pages of a used-up pass. They wait until the visitor has passed again with a page. */
const WAIT_FOR_PASS: Allowance = { kind: 'wait', waitMs: MINUTE_MS };

/** The endings that count as a document. A page was counted at its request, so none of its endings does. */
const NO_DOCUMENTS: readonly Ending[] = [];
const OF_DATA: readonly Ending[] = ['document', 'file'];
const OF_PARTS: readonly Ending[] = ['document', 'data', 'file'];

/**
 * Limits the use of one passed challenge. A pass costs a program little, so it allows no more requests and pages than
 * a person needs. Each thread counts separately, so no shared store is asked.
 *
 * A pass that comes from many networks is shared by several clients. It is used up too.
 *
 * Parts of pages (styles, pictures) have a large budget of their own. They count as documents only when the origin
 * answers with a document or data. A page above a budget leads to the challenge, which a browser passes by itself.
 * Data and parts above a budget have to wait, because a script of a page cannot pass a challenge.
 */
export class SessionLimits {
  /** With the number of pages, because a reload can change it and keeps the table. */
  readonly #organisation: string;
  readonly #passes: PassTable;
  readonly #full: Budgets;
  /** The budgets of a short pass, and of a rejected session in monitor mode. */
  readonly #short: Budgets;
  readonly #pagesOfAddress: AddressCharges;
  /** Undefined when the shape of sessions is not judged. */
  readonly #parts: PartsOfSites | undefined;

  /** Undefined when the organisation sets no limits. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    passes: PassTable,
  ): SessionLimits | undefined {
    const { session_limits: limits, session_shape: isShapeRead } = challenge;
    return limits === false ? undefined : new SessionLimits(id, limits, isShapeRead, passes);
  }

  constructor(organisation: string, limits: Limits, isShapeRead: boolean, passes: PassTable) {
    this.#organisation = `${organisation} ${limits.pages_per_hour}`;
    this.#passes = passes;
    this.#full = budgetsOf(limits, 1);
    this.#short = budgetsOf(limits, SHORT_PASS_PART);
    this.#pagesOfAddress = compileAddressCharges(this.#full.pages);
    this.#parts = isShapeRead ? new PartsOfSites() : undefined;
  }

  /** Counts one request of a session that passed. */
  take({ id, session }: Passed, taking: Taking): Allowance {
    const { facts, reportsEnd } = taking;
    const nowMs = taking.clock();
    // Requests of foreign pages in the visitor's browser have their own counters, so that they take nothing from the
    // visitor.
    const isForeign = facts.headers['sec-fetch-site'] === 'cross-site';
    const pass = this.#passes.pass(sessionRoot(id), session.judgedAt, isForeign);
    const budgets = this.#budgetsOf(session);
    const asksForPage = countsAsPage(facts);
    if (areTooManyNetworks(pass.networks, facts, nowMs) || nowMs < pass.spentUntil) {
      return asksForPage ? USED_UP : WAIT_FOR_PASS;
    }
    if (!asksForPage && isPlainPart(facts)) {
      return this.#takePart(facts.ip, pass, budgets, reportsEnd, nowMs);
    }
    const waitMs = waitFor(pass.requests, nowMs, budgets.requests);
    if (waitMs > 0) return asksForPage ? USED_UP : { kind: 'wait', waitMs };
    pass.requests = withOneMore(pass.requests, nowMs, budgets.requests);
    if (asksForPage) {
      const taken = this.#takePage(facts.ip, pass, budgets, nowMs - session.judgedAt, nowMs);
      if (taken !== WITHIN) return taken;
      if (this.#isOfProgram(pass, session.judgedAt, taking, nowMs)) return OF_A_PROGRAM;
    }
    if (!reportsEnd) return WITHIN;
    if (!begin(pass.waiting, budgets.atOnce, nowMs)) return TOO_MANY_AT_ONCE;
    const documents = asksForPage ? NO_DOCUMENTS : OF_DATA;
    return this.#awaitEnd(facts.ip, pass, pass.waiting, documents, budgets, nowMs);
  }

  /**
   * Notes a page. True when two of three signs say that a program walks through the site. Missing parts of pages are
   * no sign when most sessions of the site load few of them. It needs a gateway, because only a gateway sees
   * everything that a browser loads.
   */
  #isOfProgram(
    { shape }: PassRecord,
    passedAt: number,
    { facts, site, reportsEnd }: Taking,
    nowMs: number,
  ): boolean {
    const parts = this.#parts;
    if (parts === undefined || !reportsEnd) return false;
    if (shape.isFound(passedAt)) return true;
    const seen = shape.add(facts, nowMs);
    if (seen === undefined) return false;
    const { hasParts, isRegular, isWalk } = seen;
    const lacksParts = !hasParts && parts.areUsual(site);
    // Sessions that move like a program must not change what is usual for the site.
    if (!isRegular && !shape.wasCounted) {
      shape.wasCounted = true;
      parts.learn(site, hasParts);
    }
    if (Number(lacksParts) + Number(isRegular) + Number(isWalk) < 2) return false;
    shape.found(passedAt);
    return true;
  }

  #budgetsOf(session: Session): Budgets {
    return session.state === 'rejected' || isShortPass(session) ? this.#short : this.#full;
  }

  /** WITHIN when the page fits all budgets. A page that has to wait takes nothing from the budget of its address. */
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
    let isAboveSoft = false;
    for (const { soft, hard } of records) {
      waitMs = Math.max(waitMs, waitFor(hard.held, nowMs, hard.budget));
      isAboveSoft ||= waitFor(soft.held, nowMs, soft.budget) > 0;
    }
    if (waitMs > 0) return { kind: 'wait', waitMs };
    for (const { soft, hard } of records) {
      hard.held = withOneMore(hard.held, nowMs, hard.budget);
      if (!isAboveSoft) soft.held = withOneMore(soft.held, nowMs, soft.budget);
    }
    return isAboveSoft && ageMs > RECENT_MS ? USED_UP : WITHIN;
  }

  #takePart(
    ip: string,
    pass: PassRecord,
    budgets: Budgets,
    reportsEnd: boolean,
    nowMs: number,
  ): Allowance {
    const waitMs = waitFor(pass.files, nowMs, budgets.parts);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    pass.files = withOneMore(pass.files, nowMs, budgets.parts);
    if (!reportsEnd) return WITHIN;
    const { waitingParts } = pass;
    if (!begin(waitingParts, budgets.atOnce * PARTS_AT_ONCE, nowMs)) return TOO_MANY_AT_ONCE;
    return this.#awaitEnd(ip, pass, waitingParts, OF_PARTS, budgets, nowMs);
  }

  /** Each ending in `documents` counts as a document of the pass. A document also counts as a page of the address. */
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
        if (isFree && (how === 'data' || this.#takeOfAddress(ip, nowMs))) {
          pass.documents = withOneMore(pass.documents, nowMs, budget);
        } else {
          pass.spentUntil = nowMs + RECENT_MS;
        }
      },
    };
  }

  /** Counts a page of the address. False when its pages are used up. */
  #takeOfAddress(ip: string, nowMs: number): boolean {
    const records = this.#passes.address(this.#organisation, ip, this.#pagesOfAddress);
    if (records.some(({ hard }) => waitFor(hard.held, nowMs, hard.budget) > 0)) return false;
    for (const { hard } of records) hard.held = withOneMore(hard.held, nowMs, hard.budget);
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
    parts: of(limits.pages_per_hour * PARTS_OF_PAGE, HOUR_MS),
    // A short pass has the full number too, because a browser needs it to load one page.
    atOnce: limits.at_once,
  };
}
