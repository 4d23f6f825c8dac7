import type { Budget, Clock, Ending, Session, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { Organisation } from '@guard/config/settings/schema';
import type { Facts, SessionFact } from '../../request/facts.ts';
import { countsAsPage } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { waitFor, withOneMore } from '../../rules/gcra.ts';
import { isShortPass, SHORT_PASS_PART } from '../../session/short-pass.ts';
import type { AnswerWatch } from '../counts/answer-watch.ts';
import { isFromOtherSite, isPlainPart } from '../documents.ts';
import { DocumentsAsData } from './documents-as-data.ts';
import type { PassRecord, PassTable } from './pass-table.ts';
import { isFromTooManyNetworks } from './session-networks.ts';
import { SessionShares } from './session-shares.ts';
import { startWaiting, endWaiting, type WaitingCount } from '../counts/waiting-count.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Number of documents that requests for data can get, for each page of the budget. For example, lists that grow and
 * pages that load a part of themselves need them.
 */
const DOCUMENTS_AS_DATA = 10;

/**
 * Number of parts that are allowed for each page. The limit is needed, because a program can request pages as pictures,
 * and Guard does not see each answer or cannot distinguish it from a file. Even pages of galleries load fewer parts on
 * average, because browsers cache them.
 */
const PARTS_OF_PAGE = 100;

/** How many times as many parts of pages as other requests may wait at once. */
const PARTS_AT_ONCE = 10;

/**
 * A session without parts is suspicious only when at least this many sessions of the site are known, and at least this
 * share of them loads parts. When the parts are on another host or in the browser's cache, few sessions load them.
 */
const PARTS_LEARNED_FROM = 20;
const PARTS_ARE_USUAL = 0.8;

/** When the address has used up its pages, a pass that is younger than this is still valid. */
const RECENT_MS = 10 * MINUTE_MS;

/** The wait when too many requests wait for the origin. It is short, because waiting requests end soon. */
const SHORT_WAIT_MS = 1_000;

type Limits = Exclude<Organisation['challenge']['session_limits'], false>;

interface Budgets {
  readonly requests: Budget;
  readonly pages: Budget;
  readonly documents: Budget;
  readonly parts: Budget;
  readonly atOnce: number;
}

/** The session of a visitor whose upload was judged, with its id. */
export type JudgedSession = Extract<SessionFact, { session: unknown }>;

/** The fields of DecisionInput that this file uses. */
interface PassRequest {
  readonly facts: Facts;
  readonly site: string;
  readonly reportsEnd: boolean;
  readonly clock: Clock;
  readonly store: Pick<SessionStore, 'takeSync'>;
}

/** Whether a passed challenge still allows a request. */
type Allowance =
  | { readonly kind: 'within'; readonly watch?: AnswerWatch }
  /** The visitor has to pass again. After that the session has full budgets. */
  | { readonly kind: 'used_up'; readonly reason: 'session_limit_exceeded' | 'session_shape' }
  | { readonly kind: 'wait'; readonly waitMs: number };

const WITHIN_LIMITS: Allowance = { kind: 'within' };
const USED_UP: Allowance = { kind: 'used_up', reason: 'session_limit_exceeded' };
const MOVES_LIKE_A_PROGRAM: Allowance = { kind: 'used_up', reason: 'session_shape' };
const TOO_MANY_AT_ONCE: Allowance = { kind: 'wait', waitMs: SHORT_WAIT_MS };
/** With a used-up pass, requests for data and parts have to wait until the visitor loads a page and passes again. */
const WAIT_FOR_PASS: Allowance = { kind: 'wait', waitMs: MINUTE_MS };

/** The kinds of answers that are counted as documents. For a page none is, because the page is already counted. */
const NO_DOCUMENTS: readonly Ending[] = [];
const DOCUMENTS_OF_DATA: readonly Ending[] = ['document', 'file'];
const DOCUMENTS_OF_PARTS: readonly Ending[] = ['document', 'data', 'file'];

/**
 * Limits the use of one passed challenge. A pass costs a program little, so it allows no more requests and pages than a
 * person needs. All threads and instances together count its pages and documents. Each thread counts everything else
 * separately. No request waits for a shared store.
 *
 * A pass that comes from too many networks is shared by several clients. So it is used up too.
 *
 * Parts of pages (styles, pictures) have their own large budget. They are counted as documents only when the answer is
 * a document, data, or a file without a content type. A page above a budget leads to the challenge, which a browser
 * passes without an action of the person. Data and parts above a budget have to wait, because a script of a page cannot
 * pass a challenge.
 */
export class SessionLimits {
  /** The organisation with its number of pages. A reload can change this number, and keeps the table. */
  readonly #organisation: string;
  readonly #passes: PassTable;
  readonly #full: Budgets;
  /** The budgets of a short pass, and of a rejected session in monitor mode. */
  readonly #short: Budgets;
  readonly #pagesOfAddress: AddressCharges;
  /** Undefined with `session_shape: false`. */
  readonly #sessionsWithParts: SessionShares | undefined;
  readonly documentsAsData = new DocumentsAsData();

  /** Undefined when the organisation sets no limits. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    passes: PassTable,
  ): SessionLimits | undefined {
    const { session_limits: limits, session_shape: judgesShape } = challenge;
    return limits === false ? undefined : new SessionLimits(id, limits, judgesShape, passes);
  }

  constructor(organisation: string, limits: Limits, judgesShape: boolean, passes: PassTable) {
    this.#organisation = `${organisation} ${limits.pages_per_hour}`;
    this.#passes = passes;
    this.#full = budgetsOf(limits, 1);
    this.#short = budgetsOf(limits, SHORT_PASS_PART);
    this.#pagesOfAddress = compileAddressCharges(this.#full.pages);
    this.#sessionsWithParts = judgesShape ? new SessionShares() : undefined;
  }

  /** Counts one request of a session that passed. */
  take({ id, session }: JudgedSession, taking: PassRequest): Allowance {
    const { facts, reportsEnd } = taking;
    const nowMs = taking.clock();
    // Requests of foreign pages have their own counters, so that they use up no budget of the visitor.
    const isForeign = isFromOtherSite(facts);
    const pass = this.#passes.pass(sessionRoot(id), session.judgedAt, isForeign);
    const budgets = this.#budgetsOf(session);
    const asksForPage = countsAsPage(facts);
    if (isFromTooManyNetworks(pass.networks, facts, nowMs) || nowMs < pass.spentUntil) {
      return asksForPage ? USED_UP : WAIT_FOR_PASS;
    }
    if (!asksForPage && isPlainPart(facts)) {
      return this.#takePart(taking, pass, budgets, nowMs);
    }
    const waitMs = waitFor(pass.requests, nowMs, budgets.requests);
    if (waitMs > 0) return asksForPage ? USED_UP : { kind: 'wait', waitMs };
    pass.requests = withOneMore(pass.requests, nowMs, budgets.requests);
    if (asksForPage) {
      const allowance = this.#takePage(taking, pass, budgets, nowMs - session.judgedAt, nowMs);
      if (allowance !== WITHIN_LIMITS) return allowance;
      if (this.#movesLikeAProgram(pass, session.judgedAt, taking, nowMs))
        return MOVES_LIKE_A_PROGRAM;
    }
    if (!reportsEnd) return WITHIN_LIMITS;
    if (!startWaiting(pass.waiting, budgets.atOnce, nowMs)) return TOO_MANY_AT_ONCE;
    const documents = asksForPage ? NO_DOCUMENTS : DOCUMENTS_OF_DATA;
    return this.#watchAnswer(taking, pass, pass.waiting, documents, budgets, nowMs);
  }

  /**
   * Adds a page to the session shape. True when at least two of three signs show a program that walks through the site.
   * Missing parts are a sign only when most sessions of the site load parts. Works only for a gateway, because other
   * callers do not see everything that a browser loads.
   */
  #movesLikeAProgram(
    { shape }: PassRecord,
    passedAt: number,
    { facts, site, reportsEnd }: PassRequest,
    nowMs: number,
  ): boolean {
    const withParts = this.#sessionsWithParts;
    if (withParts === undefined || !reportsEnd) return false;
    if (shape.isProgram(passedAt)) return true;
    const stretch = shape.add(facts, nowMs);
    if (stretch === undefined) return false;
    const { hasParts, isRegular, isWalk } = stretch;
    const lacksParts =
      !hasParts && (withParts.shareOf(site, PARTS_LEARNED_FROM) ?? 0) >= PARTS_ARE_USUAL;
    // Guard learns only from sessions that do not move like a program, so that programs cannot change what is normal.
    if (!isRegular && !shape.wasCounted) {
      shape.wasCounted = true;
      withParts.countSession(site);
      if (hasParts) withParts.countMatching(site);
    }
    if (Number(lacksParts) + Number(isRegular) + Number(isWalk) < 2) return false;
    shape.noteProgram(passedAt);
    return true;
  }

  #budgetsOf(session: Session): Budgets {
    return session.state === 'rejected' || isShortPass(session) ? this.#short : this.#full;
  }

  /**
   * Counts a page. Returns WITHIN_LIMITS when it fits all budgets. A page that has to wait takes nothing from the
   * budget of the address.
   */
  #takePage(
    { facts: { ip }, store }: PassRequest,
    pass: PassRecord,
    { pages }: Budgets,
    ageMs: number,
    nowMs: number,
  ): Allowance {
    if (!takeFromPass('pages', pass, pages, store, nowMs)) return USED_UP;
    const records = this.#passes.address(this.#organisation, ip, this.#pagesOfAddress);
    let waitMs = 0;
    let isAboveSoft = false;
    for (const { soft, hard } of records) {
      waitMs = Math.max(waitMs, waitFor(hard.value, nowMs, hard.budget));
      isAboveSoft ||= waitFor(soft.value, nowMs, soft.budget) > 0;
    }
    if (waitMs > 0) return { kind: 'wait', waitMs };
    for (const { soft, hard } of records) {
      hard.value = withOneMore(hard.value, nowMs, hard.budget);
      if (!isAboveSoft) soft.value = withOneMore(soft.value, nowMs, soft.budget);
    }
    return isAboveSoft && ageMs > RECENT_MS ? USED_UP : WITHIN_LIMITS;
  }

  #takePart(taking: PassRequest, pass: PassRecord, budgets: Budgets, nowMs: number): Allowance {
    const waitMs = waitFor(pass.files, nowMs, budgets.parts);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    pass.files = withOneMore(pass.files, nowMs, budgets.parts);
    if (!taking.reportsEnd) return WITHIN_LIMITS;
    const { waitingParts } = pass;
    if (!startWaiting(waitingParts, budgets.atOnce * PARTS_AT_ONCE, nowMs)) return TOO_MANY_AT_ONCE;
    return this.#watchAnswer(taking, pass, waitingParts, DOCUMENTS_OF_PARTS, budgets, nowMs);
  }

  /**
   * Watches the answer. Answers of the kinds in `documents` are documents of the pass. All of them except data are also
   * pages of the address.
   */
  #watchAnswer(
    { facts, site, store }: PassRequest,
    pass: PassRecord,
    waitingCount: WaitingCount,
    documents: readonly Ending[],
    { documents: budget }: Budgets,
    nowMs: number,
  ): Allowance {
    const ended = (ending: Ending) => {
      endWaiting(waitingCount);
      if (documents !== NO_DOCUMENTS && ending !== 'document') pass.parts.count += 1;
      if (ending === 'document') this.documentsAsData.learn(pass, facts, site);
      if (!documents.includes(ending)) return;
      const isFree = takeFromPass('documents', pass, budget, store, nowMs);
      if (isFree && (ending === 'data' || this.#takeFromAddress(facts.ip, nowMs))) return;
      pass.spentUntil = nowMs + RECENT_MS;
    };
    return { kind: 'within', watch: { ended } };
  }

  /** Counts a page for the address. False when the address has used up its pages. */
  #takeFromAddress(ip: string, nowMs: number): boolean {
    const records = this.#passes.address(this.#organisation, ip, this.#pagesOfAddress);
    if (records.some(({ hard }) => waitFor(hard.value, nowMs, hard.budget) > 0)) return false;
    for (const { hard } of records) hard.value = withOneMore(hard.value, nowMs, hard.budget);
    return true;
  }
}

const BUDGET_NAMES = { pages: 'pages-of-pass', documents: 'documents-of-pass' } as const;

/**
 * Takes one page or document of a pass. False when none is left in this thread, or in all threads and instances that
 * share the store. The shared count is needed, because a program can open a connection to each thread and instance.
 */
function takeFromPass(
  kind: keyof typeof BUDGET_NAMES,
  pass: PassRecord,
  budget: Budget,
  store: PassRequest['store'],
  nowMs: number,
): boolean {
  if (waitFor(pass[kind], nowMs, budget) > 0) return false;
  pass[kind] = withOneMore(pass[kind], nowMs, budget);
  return store.takeSync(BUDGET_NAMES[kind], pass.name, budget) === 0;
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
    // A short pass has the full number too, because even one page can send this many requests at once.
    atOnce: limits.at_once,
  };
}
