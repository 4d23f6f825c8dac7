import type {
  Budget,
  MaybePromise,
  RequestEnded,
  SessionStore,
} from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { addressGroup } from '@guard/config/net/network-of';
import type { Organisation } from '@guard/config/settings/schema';
import { afterWith } from '../../session/after-with.ts';
import { clientShape } from '../../request/client-shape.ts';
import type { Facts } from '../../request/facts.ts';
import { countsAsPage, isFileOfPage, isOwnFrame } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { ClaimedMedia, isFalse } from './claimed-media.ts';
import { isDocument, isFileOfData, isForeign, isPlainFile, suffixOf } from '../documents.ts';
import { DocumentBudgets } from './document-budgets.ts';
import { ForeignForms } from './foreign-forms.ts';
import { WaitingRequests } from './waiting-requests.ts';

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
 * Where Guard does not see the answers, this many preflights and files with a parameter are free for each free page. An
 * application can answer them with pages. The number is the one of a pass: 100 parts for each of its pages.
 */
const PARTS_UNSEEN = 2_000;

/** In so many networks that loaded no page, data is free for one session. A phone that moves needs this. */
const MOVES_OF_A_SESSION = { requests: 4, perMs: PAGE_REMEMBERED_MS };

/**
 * `page`, `data` and `media` are free, `spent` is not. `data` is a request for data whose answer may be a document. A
 * request for `media` is free only when the answer is media.
 */
type FreePage = 'page' | 'data' | 'media' | 'spent';

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
  readonly #partsUnseen: string;
  readonly #pagesOfAddress: AddressCharges;
  readonly #pagesOfShape: Budget;
  readonly #unseenOfAddress: AddressCharges;
  readonly #partsUnseenOfAddress: AddressCharges;
  readonly waitingRequests: WaitingRequests;
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
    this.#partsUnseen = `parts-unseen:${organisation}`;
    this.#pagesOfAddress = compileAddressCharges(budget);
    this.#pagesOfShape = times(BUDGETS_OF_A_SHAPE);
    this.#unseenOfAddress = compileAddressCharges(times(DATA_UNSEEN));
    this.#partsUnseenOfAddress = compileAddressCharges(times(PARTS_UNSEEN));
    this.documents = new DocumentBudgets(organisation, budget);
    this.waitingRequests = new WaitingRequests(organisation, budget);
    this.#media = new ClaimedMedia(organisation, this.#pagesOfShape);
    this.#forms = new ForeignForms(organisation, budget, BUDGETS_OF_A_SHAPE);
  }

  /**
   * Counts a request of a visitor who did not pass. `hasSmallBudget` is the result of documents.isShapeSpent, and
   * `seesAnswer` is from Deciding.
   */
  take(
    facts: Facts,
    store: SessionStore,
    hasSmallBudget: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    const isSpent = this.documents.isAddressSpent(facts, store, hasSmallBudget);
    // The page is counted while the store still looks up `isSpent`, so a shared store causes one wait, not two.
    const page =
      countsAsPage(facts) && !isOwnFrame(facts) ? this.#takePage(facts, store) : undefined;
    return afterWith(isSpent, undefined, (spent) =>
      spent ? 'spent' : (page ?? this.#takeData(facts, store, hasSmallBudget, seesAnswer)),
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
    hasSmallBudget: boolean,
    onPage: () => void,
  ): RequestEnded | undefined {
    const kind = isFileOfPage(facts) ? 'parts ' : '';
    return this.waitingRequests.start(kind, facts, store, nowMs, hasSmallBudget, (answerKind) => {
      if (!isDocument(answerKind, facts)) return false;
      if (answerKind === 'document' || !isFileOfData(facts)) {
        void afterWith(this.#count(facts, store), undefined, (freePage) => {
          if (freePage === 'page') onPage();
        });
      }
      this.documents.count(answerKind, facts, store, nowMs);
      return true;
    });
  }

  /** As startWaiting, for a request that is free as `media`. An answer that is no media takes a free page. */
  startWaitingForMedia(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    onPage: () => void,
  ): RequestEnded | undefined {
    const endClaim = this.#media.begin(facts, store, nowMs);
    if (endClaim === undefined) return undefined;
    const ended = this.waitingRequests.start('', facts, store, nowMs, false, (answerKind) => {
      endClaim();
      if (!isFalse(answerKind)) return false;
      this.#media.noteFalse(facts, store);
      void afterWith(this.#count(facts, store), undefined, (freePage) => {
        if (freePage === 'page') onPage();
        else this.#media.disbelieve(facts, store);
      });
      if (answerKind === 'document') this.documents.count(answerKind, facts, store, nowMs);
      return true;
    });
    if (ended === undefined) endClaim();
    return ended;
  }

  #takeData(
    facts: Facts,
    store: SessionStore,
    hasSmallBudget: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    // Files are free for all visitors, because other sites show pictures too. Preflights are free: they have no cookie.
    if (isPlainFile(facts)) {
      return seesAnswer || this.takeUnseenPart(facts, store) ? 'data' : 'spent';
    }
    const hasLoaded = store.remembers(this.#loadedName, addressGroup(facts.ip));
    return afterWith(hasLoaded, undefined, (hasLoadedPage) => {
      if (hasLoadedPage) return seesAnswer ? 'data' : this.#takeUnseen(facts, store);
      if (hasSmallBudget) return this.#count(facts, store);
      const isMedia = seesAnswer && this.#media.isBelieved(facts, store);
      return afterWith(isMedia, undefined, (isBelieved) =>
        isBelieved ? 'media' : this.#takeMove(facts, store),
      );
    });
  }

  /**
   * Counts a preflight, or a file with a parameter, whose answer Guard does not see. False when the address has used up
   * its number. Other requests are not counted. They are many, so none waits for a shared store.
   */
  takeUnseenPart(facts: Facts, store: SessionStore): boolean {
    if (facts.method !== 'OPTIONS' && facts.url.query === '') return true;
    const name = this.#partsUnseen + suffixOf(facts);
    return this.#partsUnseenOfAddress(facts.ip).every(
      ({ subject, budget }) => store.takeSync(name, subject, budget) === 0,
    );
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
    return afterWith(this.#open(session.id, facts, store), undefined, (isOpened) =>
      isOpened ? 'data' : this.#count(facts, store),
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
    void afterWith(
      hasLoaded,
      undefined,
      (hasLoadedPage) => hasLoadedPage || this.#open(id, facts, store),
    );
  }

  /** Remembers that this network loaded a page, so that its requests for data are free. */
  remember(facts: Facts, store: SessionStore): void {
    void store.remember(this.#loadedName, addressGroup(facts.ip), PAGE_REMEMBERED_MS);
  }

  #takePage(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const freePage = afterWith(this.#count(facts, store), undefined, (countedAs) =>
      countedAs === 'page' ? countedAs : this.#forms.take(facts, store),
    );
    void afterWith(freePage, undefined, (page) => page === 'page' && this.remember(facts, store));
    return freePage;
  }

  #count(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#pagesOfShape };
    const counter = isForeign(facts) ? `${this.#counter} foreign` : this.#counter;
    const waitMs = store.takeAll(counter, [...this.#pagesOfAddress(facts.ip), shape]);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
