import type { Budget, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import { addressGroup } from '@guard/config/net/network-of';
import type { Organisation } from '@guard/config/settings/schema';
import { afterWith } from '../../session/after-with.ts';
import { clientShape } from '../../request/client-shape.ts';
import type { Facts } from '../../request/facts.ts';
import { countsAsPage, isOwnFrame } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { hasQueryInPath } from '../../rules/queries-in-path.ts';
import { isForeign, isPlainFile, suffixOf } from '../documents.ts';
import { ClaimedMedia } from './claimed-media.ts';
import { DataAnswers, type DocumentTerms } from './data-answers.ts';
import { ForeignForms } from './foreign-forms.ts';

/** Many people share one client shape. Together they get this many times the pages of one address. */
const BUDGETS_OF_A_SHAPE = 20;

/**
 * Where Guard does not see the answers, it cannot count documents. There, this many requests for data are free for each
 * free page. The open pages of an address send far fewer requests.
 */
const UNSEEN_DATA_PER_PAGE = 200;

/** For this long after a page, data is free in the network that loaded it, because a tab can stay open for hours. */
const PAGE_REMEMBERED_MS = 86_400_000;

/**
 * Where Guard does not see the answers, this many preflights and files with a parameter are free for each free page,
 * because an application can answer them with pages.
 */
const UNSEEN_PARTS_PER_PAGE = 2_000;

/**
 * In this many networks that loaded no page, data is free for one session. A phone that changes networks needs this.
 */
const NETWORKS_OF_A_SESSION = { requests: 4, perMs: PAGE_REMEMBERED_MS };

/**
 * `page`, `data` and `media` are free, and `spent` is not. `data` is a request for data, whose answer can still be a
 * document. A request for `media` is free only when the answer is media.
 */
type FreePage = 'page' | 'data' | 'media' | 'spent';

/**
 * Limits the free pages of visitors without a pass, for `challenge: auto`. Counts pages for each address, for the IPv6
 * networks around it, and for each client shape.
 *
 * A request for data is free when its network loaded a page. A session that Guard issued with a page has free data in a
 * few more networks. All other requests for data are counted as pages. A program can make any request look like a
 * request for data. So when the answer to a request for data is a document, {@link DataAnswers} counts it as a page of
 * the address and of the client shape, and holds it back when the address has used up its documents.
 */
export class FreePages {
  readonly answers: DataAnswers;
  readonly #counter: string;
  readonly #loadedName: string;
  readonly #networksOfSession: string;
  readonly #unseenData: string;
  readonly #unseenParts: string;
  readonly #pagesOfAddress: AddressCharges;
  readonly #pagesOfShape: Budget;
  readonly #unseenDataOfAddress: AddressCharges;
  readonly #unseenPartsOfAddress: AddressCharges;
  readonly #forms: ForeignForms;

  /** Undefined with `free_pages: false`. Then `challenge: auto` challenges only uncertain visitors. */
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
    // The names of rule budgets contain a blank. These names contain none, so they never collide.
    this.#counter = `free-pages:${organisation}`;
    this.#loadedName = `loaded-a-page:${organisation}`;
    this.#networksOfSession = `moves-of-a-session:${organisation}`;
    this.#unseenData = `data-unseen:${organisation}`;
    this.#unseenParts = `parts-unseen:${organisation}`;
    this.#pagesOfAddress = compileAddressCharges(budget);
    this.#pagesOfShape = times(BUDGETS_OF_A_SHAPE);
    this.#unseenDataOfAddress = compileAddressCharges(times(UNSEEN_DATA_PER_PAGE));
    this.#unseenPartsOfAddress = compileAddressCharges(times(UNSEEN_PARTS_PER_PAGE));
    const media = new ClaimedMedia(organisation, budget, this.#pagesOfShape);
    this.answers = new DataAnswers(organisation, budget, media, (facts, store) =>
      this.#count(facts, store),
    );
    this.#forms = new ForeignForms(organisation, budget, BUDGETS_OF_A_SHAPE);
  }

  /** Counts a request of a visitor without a pass. `seesAnswer` is DecisionInput.seesAnswer. */
  take(
    facts: Facts,
    store: SessionStore,
    { isInFlood }: DocumentTerms,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    if (!countsAsPage(facts) || isOwnFrame(facts))
      return this.#takeData(facts, store, isInFlood, seesAnswer);
    const isSpent = this.answers.documents.isAddressSpent(facts, store);
    // The page is counted while the store still looks up `isSpent`, so a shared store causes only one wait.
    const page = this.#takePage(facts, store);
    return afterWith(isSpent, page, (spent, freePage) => (spent ? 'spent' : freePage));
  }

  #takeData(
    facts: Facts,
    store: SessionStore,
    isInFlood: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    // Files are free for all visitors, because other sites show pictures of this site. Preflights are free, because
    // they have no cookie.
    if (isPlainFile(facts)) {
      return seesAnswer || this.takeUnseenPart(facts, store) ? 'data' : 'spent';
    }
    const hasLoaded = store.remembers(this.#loadedName, addressGroup(facts.ip));
    const hasManyHeldBack = this.answers.documents.hasManyHeldBack(facts, store);
    const takeByPage = (hasLoadedPage: boolean): MaybePromise<FreePage> => {
      if (hasLoadedPage) return seesAnswer ? 'data' : this.#takeUnseenData(facts, store);
      if (isInFlood) return this.#count(facts, store);
      const isMedia = seesAnswer && this.answers.media.isBelieved(facts, store);
      return afterWith(isMedia, undefined, (isBelieved) =>
        isBelieved ? 'media' : this.#takeInNewNetwork(facts, store),
      );
    };
    return afterWith(hasManyHeldBack, undefined, (isSpent) =>
      isSpent ? 'spent' : afterWith(hasLoaded, undefined, takeByPage),
    );
  }

  /**
   * Counts a preflight, or a file with a parameter, whose answer Guard does not see. False when the address has used up
   * its budget. Other requests are not counted. takeSync is used, because these requests are many and must not wait for
   * a shared store.
   */
  takeUnseenPart(facts: Facts, store: SessionStore): boolean {
    const { path, query } = facts.url;
    if (facts.method !== 'OPTIONS' && query === '' && !hasQueryInPath(path)) return true;
    const name = this.#unseenParts + suffixOf(facts);
    return this.#unseenPartsOfAddress(facts.ip).every(
      ({ subject, budget }) => store.takeSync(name, subject, budget) === 0,
    );
  }

  #takeUnseenData(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const waitMs = store.takeAll(
      this.#unseenData + suffixOf(facts),
      this.#unseenDataOfAddress(facts.ip),
    );
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'data'));
  }

  /**
   * Counts a request for data from a network that loaded no page. A program can copy a session to many networks, so the
   * session gets free data in only a few networks. A session that came with a challenge page and did not pass gets no
   * free data, because it has no open page.
   */
  #takeInNewNetwork(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const { session } = facts;
    if (session.state !== 'issued' || session.challenge !== 'none')
      return this.#count(facts, store);
    return afterWith(this.#openNetwork(session.id, facts, store), undefined, (isOpened) =>
      isOpened ? 'data' : this.#count(facts, store),
    );
  }

  /** Makes data free in the network of this request. False when the session has already used up its networks. */
  #openNetwork(id: string, facts: Facts, store: SessionStore): MaybePromise<boolean> {
    const waitMs = store.take(this.#networksOfSession, sessionRoot(id), NETWORKS_OF_A_SESSION);
    return afterWith(waitMs, undefined, (wait) => {
      if (wait === 0) this.rememberPage(facts, store);
      return wait === 0;
    });
  }

  /**
   * Makes data free in the network of a visitor who passed, because a page of the visitor is open there. The page can
   * call an API on another host, and these requests have no cookie. A program can copy a pass to many networks, so the
   * limit of networks for a session applies.
   */
  openForPass(id: string, facts: Facts, store: SessionStore): void {
    const hasLoaded = store.remembers(this.#loadedName, addressGroup(facts.ip));
    void afterWith(
      hasLoaded,
      undefined,
      (hasLoadedPage) => hasLoadedPage || this.#openNetwork(id, facts, store),
    );
  }

  /** Remembers that this network loaded a page, so that its requests for data are free. */
  rememberPage(facts: Facts, store: SessionStore): void {
    void store.remember(this.#loadedName, addressGroup(facts.ip), PAGE_REMEMBERED_MS);
  }

  #takePage(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const freePage = afterWith(this.#count(facts, store), undefined, (countedAs) =>
      countedAs === 'page' ? countedAs : this.#forms.take(facts, store),
    );
    void afterWith(
      freePage,
      undefined,
      (page) => page === 'page' && this.rememberPage(facts, store),
    );
    return freePage;
  }

  #count(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#pagesOfShape };
    const counter = isForeign(facts) ? `${this.#counter} foreign` : this.#counter;
    const waitMs = store.takeAll(counter, [...this.#pagesOfAddress(facts.ip), shape]);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
