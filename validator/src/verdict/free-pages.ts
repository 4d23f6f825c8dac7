import type {
  Budget,
  Ending,
  MaybePromise,
  RequestEnded,
  SessionStore,
} from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { addressGroup } from '@guard/config/net/network-of';
import type { Organisation } from '@guard/config/settings/schema';
import { afterWith } from '../session/after-with.ts';
import { clientShape } from '../request/client-shape.ts';
import type { Facts } from '../request/facts.ts';
import { countsAsPage, isFileOfPage } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { ClaimedMedia, isFalse } from './claimed-media.ts';
import { isDocument, isFileOfData, isForeign, isPlainFile, suffixOf } from './documents.ts';
import { DOCUMENTS_AS_DATA, DocumentBudgets, PART_OF_FEW } from './document-budgets.ts';
import { ForeignForms } from './foreign-forms.ts';
import { begin, end, noteDocument, recentDocuments, type Subject, UnderWay } from './under-way.ts';

/** Many people share one client shape. All of them together get this many times the pages of one address. */
const BUDGETS_OF_A_SHAPE = 20;

/**
 * Where Guard does not see the answers, this many requests for data are free for each free page, because Guard cannot
 * count documents there. It is far above what the open pages of an address fetch.
 */
const DATA_UNSEEN = 200;

/** For so long after a page, data is free in its network, because a tab can stay open for hours. */
const PAGE_REMEMBERED_MS = 86_400_000;

/**
 * For each free page, this many requests for data may wait for the origin, because a page over HTTP/2 can send a hundred
 * at once. Documents that came back reduce the number, because each waiting request could return one more document.
 */
const DATA_AT_ONCE = 20;

/**
 * The same limit for parts of pages. It is higher, because a page loads more parts than data, and several people share
 * an address. Programs that a preset allows have this limit too, for example builds that clone repositories.
 */
const PARTS_AT_ONCE = 100;

/** Prefixes of the counters of waiting requests: data, parts of pages, and programs that a preset allows. */
type Kind = '' | 'parts ' | 'preset ';

/** In so many networks that loaded no page, data is free for one session. A phone that moves needs this. */
const MOVES_OF_A_SESSION = { requests: 4, perMs: PAGE_REMEMBERED_MS };

/**
 * `page`, `data` and `media` are free, `spent` is not. `data` is a request for data whose answer may be a document. A
 * request for `media` is free only when the answer is media.
 */
export type FreePage = 'page' | 'data' | 'media' | 'spent';

/**
 * Limits the free pages of visitors who did not pass the challenge, for `challenge: auto`. Counts pages for each
 * address, for the IPv6 networks around it, and for each client shape.
 *
 * A request for data is free when its network loaded a page. A session that Guard issued with a page has free data in a
 * few more networks. All other requests for data count as pages. A program can make any request look like a request for
 * data. So {@link startWaiting} counts a document in answer to such a request as a page of the address and of the
 * client shape.
 */
export class FreePages {
  readonly documents: DocumentBudgets;
  readonly #counter: string;
  readonly #loadedName: string;
  readonly #moves: string;
  readonly #unseen: string;
  readonly #pagesOfAddress: AddressCharges;
  readonly #pagesOfShape: Budget;
  readonly #unseenOfAddress: AddressCharges;
  readonly #underWay = new UnderWay();
  readonly #forms: ForeignForms;
  readonly #media: ClaimedMedia;

  /** Undefined when the organisation has no free pages. Then it has no challenge after free pages. */
  static of({ id, challenge }: Pick<Organisation, 'id' | 'challenge'>): FreePages | undefined {
    const { free_pages: free } = challenge;
    return free === false
      ? undefined
      : new FreePages(id, { requests: free.pages, perMs: free.per });
  }

  constructor(organisation: string, budget: Budget) {
    const times = (factor: number) => ({
      ...budget,
      requests: Math.floor(budget.requests * factor),
    });
    // The name of a rule's budget has a blank. These names have no blank, so both never collide.
    this.#counter = `free-pages:${organisation}`;
    this.#loadedName = `loaded-a-page:${organisation}`;
    this.#moves = `moves-of-a-session:${organisation}`;
    this.#unseen = `data-unseen:${organisation}`;
    this.#pagesOfAddress = compileAddressCharges(budget);
    this.#pagesOfShape = times(BUDGETS_OF_A_SHAPE);
    this.#unseenOfAddress = compileAddressCharges(times(DATA_UNSEEN));
    this.documents = new DocumentBudgets(organisation, budget);
    this.#media = new ClaimedMedia(organisation, this.#pagesOfShape);
    this.#forms = new ForeignForms(organisation, budget, BUDGETS_OF_A_SHAPE);
  }

  /** Counts a request of a visitor who did not pass. `few` is from documents.isShapeSpent, `seesAnswer` from Deciding. */
  take(
    facts: Facts,
    store: SessionStore,
    few: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    const isSpent = this.documents.isAddressSpent(facts, store, few);
    // The page is counted while the store still looks up `isSpent`, so a shared store causes one wait, not two.
    const page = countsAsPage(facts) ? this.#takePage(facts, store) : undefined;
    return afterWith(isSpent, undefined, (spent) =>
      spent ? 'spent' : (page ?? this.#takeData(facts, store, few, seesAnswer)),
    );
  }

  /**
   * Counts a waiting request for data, and returns the function to call at its end. At the end, a document is counted.
   * Returns undefined when too many requests of the address wait, because they could return far more documents than are
   * free. Then the request is not free. `onPage` is called when a document takes a free page.
   */
  startWaiting(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    few: boolean,
    onPage: () => void,
  ): RequestEnded | undefined {
    const kind = isFileOfPage(facts) ? 'parts ' : '';
    return this.startWaitingForAnswer(kind, facts, nowMs, few, (how, waiting) => {
      if (!isDocument(how, facts)) return;
      for (const subject of waiting) noteDocument(subject, this.#pagesOfShape.perMs, nowMs);
      if (how === 'document' || !isFileOfData(facts)) {
        void afterWith(this.#count(facts, store), undefined, (taken) => {
          if (taken === 'page') onPage();
        });
      }
      this.documents.count(how, facts, store, nowMs);
    });
  }

  /** As startWaiting, for a request that is free as `media`. An answer that is no media takes a free page. */
  startWaitingForMedia(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    onPage: () => void,
  ): RequestEnded | undefined {
    const claims = this.#media.begin(facts, nowMs);
    if (claims === undefined) return undefined;
    const ended = this.startWaitingForAnswer('', facts, nowMs, false, (how, waiting) => {
      claims.forEach(end);
      if (!isFalse(how)) return;
      for (const subject of waiting) noteDocument(subject, this.#pagesOfShape.perMs, nowMs);
      this.#media.noteFalse(facts, store);
      void afterWith(this.#count(facts, store), undefined, (taken) => {
        if (taken === 'page') onPage();
        else this.#media.disbelieve(facts, store);
      });
      if (how === 'document') this.documents.count(how, facts, store, nowMs);
    });
    if (ended === undefined) claims.forEach(end);
    return ended;
  }

  /** Undefined as in startWaiting. `ended` also gets the counts of the address and the networks around it. */
  startWaitingForAnswer(
    kind: Kind,
    facts: Facts,
    nowMs: number,
    few: boolean,
    ended: (how: Ending, waiting: readonly Subject[]) => void,
  ): RequestEnded | undefined {
    const waiting = this.#begin(kind, facts, nowMs, few);
    return (
      waiting &&
      ((how) => {
        waiting.forEach(end);
        ended(how, waiting);
      })
    );
  }

  /**
   * Counts one more waiting request for the address and the networks around it. `kind` is the prefix of the counters.
   * Returns undefined, and counts nothing, when one of the counters is at its limit.
   */
  #begin(kind: Kind, facts: Facts, nowMs: number, few: boolean): readonly Subject[] | undefined {
    const dataPerPage = few ? DOCUMENTS_AS_DATA : DATA_AT_ONCE;
    const requestsPerPage = (kind === '' ? dataPerPage : PARTS_AT_ONCE) * (few ? PART_OF_FEW : 1);
    const countedSubjects: Subject[] = [];
    for (const { subject: name, budget } of this.#pagesOfAddress(facts.ip)) {
      const subject = this.#underWay.subject(kind + name + suffixOf(facts));
      const limit = budget.requests * requestsPerPage - recentDocuments(subject, nowMs);
      if (!begin(subject, limit, nowMs)) {
        countedSubjects.forEach(end);
        return undefined;
      }
      countedSubjects.push(subject);
    }
    return countedSubjects;
  }

  /**
   * Whether a page would be shown without its data or files, because no more of them may wait. Then Guard challenges
   * the visitor: after a pass all parts load, and a reload alone would not help.
   */
  isFull(facts: Facts, nowMs: number, few: boolean): boolean {
    if (!countsAsPage(facts)) return false;
    return (['', 'parts '] as const).some((kind) => {
      const waiting = this.#begin(kind, facts, nowMs, few);
      waiting?.forEach(end);
      return waiting === undefined;
    });
  }

  #takeData(
    facts: Facts,
    store: SessionStore,
    few: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    // Files are free for all visitors, because other sites show pictures too. Preflights are free: they have no cookie.
    if (isPlainFile(facts)) return 'data';
    const hasLoaded = store.remembers(this.#loadedName, addressGroup(facts.ip));
    return afterWith(hasLoaded, undefined, (loaded) => {
      if (loaded) return seesAnswer ? 'data' : this.#takeUnseen(facts, store);
      if (few) return this.#count(facts, store);
      const isMedia = seesAnswer && this.#media.isBelieved(facts, store);
      return afterWith(isMedia, undefined, (believed) =>
        believed ? 'media' : this.#takeMove(facts, store),
      );
    });
  }

  #takeUnseen(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const waitMs = store.takeAll(this.#unseen + suffixOf(facts), this.#unseenOfAddress(facts.ip));
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'data'));
  }

  /**
   * Takes a request for data from a network that loaded no page. A session can be copied to many networks, so only a
   * few of them get free data. A session that came with a challenge page and did not pass gets no free data, because it
   * has no open page.
   */
  #takeMove(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const { session } = facts;
    if (session.state !== 'issued' || session.challenge !== 'none')
      return this.#count(facts, store);
    return afterWith(this.#open(session.id, facts, store), undefined, (moved) =>
      moved ? 'data' : this.#count(facts, store),
    );
  }

  /** Makes data free in the network of this request. False when the session has reached its number of networks. */
  #open(id: string, facts: Facts, store: SessionStore): MaybePromise<boolean> {
    const waitMs = store.take(this.#moves, sessionRoot(id), MOVES_OF_A_SESSION);
    return afterWith(waitMs, undefined, (wait) => {
      if (wait === 0) this.remember(facts, store);
      return wait === 0;
    });
  }

  /**
   * Makes data free in the network of a visitor who passed, because the visitor has a page open there. The page can
   * call an API on another host, where its requests have no cookie. A pass can be copied to many networks, so the limit
   * for sessions applies.
   */
  openForPass(id: string, facts: Facts, store: SessionStore): void {
    const hasLoaded = store.remembers(this.#loadedName, addressGroup(facts.ip));
    void afterWith(hasLoaded, undefined, (loaded) => loaded || this.#open(id, facts, store));
  }

  /** Remembers that this network loaded a page, so that its requests for data are free. */
  remember(facts: Facts, store: SessionStore): void {
    void store.remember(this.#loadedName, addressGroup(facts.ip), PAGE_REMEMBERED_MS);
  }

  #takePage(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const taken = afterWith(this.#count(facts, store), undefined, (counted) =>
      counted === 'page' ? counted : this.#forms.take(facts, store),
    );
    void afterWith(taken, undefined, (page) => page === 'page' && this.remember(facts, store));
    return taken;
  }

  #count(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#pagesOfShape };
    const counter = isForeign(facts) ? `${this.#counter} foreign` : this.#counter;
    const waitMs = store.takeAll(counter, [...this.#pagesOfAddress(facts.ip), shape]);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
