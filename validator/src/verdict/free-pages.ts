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
import { apart, isDocument, isFileOfData, isForeign, isPlainFile } from './documents.ts';
import { DOCUMENTS_AS_DATA, DocumentBudgets, PART_OF_FEW } from './document-budgets.ts';
import { begin, end, noteDocument, recentDocuments, type Subject, UnderWay } from './under-way.ts';

/** Many people share one client shape. Together they have this many budgets of pages. */
const BUDGETS_OF_A_SHAPE = 20;

/**
 * Where Guard does not see the answers, so many requests for data are free for each free page. No answer can count as a
 * document there. So this number bounds a program that asks for each page as data. It is far above what the open pages
 * of an address fetch.
 */
const DATA_UNSEEN = 200;

/** A tab can stay open for hours. For this long after its page, its network may ask for data. */
const PAGE_REMEMBERED_MS = 86_400_000;

/**
 * For each free page, so many requests for data may wait for their origin at the same time, less the documents that
 * came back. Each waiting request could bring one more document, so both share one number. A page over HTTP/2 can ask
 * for a hundred at once.
 */
const DATA_AT_ONCE = 20;

/**
 * The same for parts of pages. A page loads more parts than data, and several people share an address. The programs of
 * presets may have as many waiting, for example builds that clone.
 */
const PARTS_AT_ONCE = 100;

/** The beginning of the names under which waiting requests are counted: data, parts of pages, and programs of presets. */
type Kind = '' | 'parts ' | 'preset ';

/** How many networks without a page one session may use for data, for example on a phone that moves. */
const MOVES_OF_A_SESSION = { requests: 4, perMs: PAGE_REMEMBERED_MS };

/**
 * `page`, `data` and `media` are free, `spent` is not. With `data` the request is not for a page, but its answer may be
 * a document. With `media` it is free only when the answer is media.
 */
export type FreePage = 'page' | 'data' | 'media' | 'spent';

/**
 * `challenge: auto` for visitors who did not pass the challenge yet: their first pages are free. Pages are counted
 * for each address, for the IPv6 networks around it, and for each client shape.
 *
 * A request for data is free from a network that loaded a page. A session that Guard issued with a page has free
 * requests for data in a few more networks. All other requests for data count as pages. A program can make any request
 * look like one for data. So {@link awaitEnd} counts the request when the origin answers with a document: for the
 * address, and for the client shape.
 */
export class FreePages {
  readonly documents: DocumentBudgets;
  readonly #counter: string;
  readonly #loaded: string;
  readonly #moves: string;
  readonly #unseen: string;
  readonly #pagesOfAddress: AddressCharges;
  readonly #pagesOfShape: Budget;
  readonly #unseenOfAddress: AddressCharges;
  readonly #underWay = new UnderWay();
  readonly #media: ClaimedMedia;

  /** Undefined when the organisation has no free pages, and so no challenge after them. */
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
    // The name of a rule's budget has a blank. These names have none, so they never collide.
    this.#counter = `free-pages:${organisation}`;
    this.#loaded = `loaded-a-page:${organisation}`;
    this.#moves = `moves-of-a-session:${organisation}`;
    this.#unseen = `data-unseen:${organisation}`;
    this.#pagesOfAddress = compileAddressCharges(budget);
    this.#pagesOfShape = times(BUDGETS_OF_A_SHAPE);
    this.#unseenOfAddress = compileAddressCharges(times(DATA_UNSEEN));
    this.documents = new DocumentBudgets(organisation, budget);
    this.#media = new ClaimedMedia(organisation, this.#pagesOfShape);
  }

  /**
   * Counts one request of a visitor who did not pass the challenge. `few` is the result of documents.areFew.
   * `seesAnswer` as in Deciding.
   */
  take(
    facts: Facts,
    store: SessionStore,
    few: boolean,
    seesAnswer: boolean,
  ): MaybePromise<FreePage> {
    const isSpent = this.documents.areSpent(facts, store, few);
    // A page is counted while the store still looks up `isSpent`. So a shared store costs one wait and not two.
    const page = countsAsPage(facts) ? this.#takePage(facts, store) : undefined;
    return afterWith(isSpent, undefined, (spent) =>
      spent ? 'spent' : (page ?? this.#takeData(facts, store, few, seesAnswer)),
    );
  }

  /**
   * Returns the function to call at the end of a request for data. It counts the request when the answer is a document.
   * Undefined when too many requests of its address wait: they could bring far more documents than are free. Then the
   * request is not free. `onPage` is called when a document takes a free page.
   */
  awaitEnd(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    few: boolean,
    onPage: () => void,
  ): RequestEnded | undefined {
    const kind = isFileOfPage(facts) ? 'parts ' : '';
    return this.awaitAnswer(kind, facts, nowMs, few, (how, waiting) => {
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

  /** The same for a request that is free as `media`. An answer that is no media takes a free page. */
  awaitEndOfMedia(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    onPage: () => void,
  ): RequestEnded | undefined {
    const ofShape = this.#media.begin(facts, nowMs);
    if (ofShape === undefined) return undefined;
    const ended = this.awaitAnswer('', facts, nowMs, false, (how, waiting) => {
      end(ofShape);
      if (!isFalse(how)) return;
      for (const subject of waiting) noteDocument(subject, this.#pagesOfShape.perMs, nowMs);
      this.#media.noteFalse(facts, store);
      void afterWith(this.#count(facts, store), undefined, (taken) => {
        if (taken === 'page') onPage();
        else this.#media.disbelieve(facts, store);
      });
      if (how === 'document') this.documents.count(how, facts, store, nowMs);
    });
    if (ended === undefined) end(ofShape);
    return ended;
  }

  /** Undefined as in awaitEnd. `ended` gets the counts of the address and of the networks around it too. */
  awaitAnswer(
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
   * Counts one more waiting request of its address, and of the networks around it. `kind` is the beginning of their
   * names. Undefined, without counting, when one of them has too many.
   */
  #begin(kind: Kind, facts: Facts, nowMs: number, few: boolean): readonly Subject[] | undefined {
    const ofData = few ? DOCUMENTS_AS_DATA : DATA_AT_ONCE;
    const ofPage = (kind === '' ? ofData : PARTS_AT_ONCE) * (few ? PART_OF_FEW : 1);
    const begun: Subject[] = [];
    for (const { subject: name, budget } of this.#pagesOfAddress(facts.ip)) {
      const subject = this.#underWay.of(kind + name + apart(facts));
      const most = budget.requests * ofPage - recentDocuments(subject, nowMs);
      if (!begin(subject, most, nowMs)) {
        begun.forEach(end);
        return undefined;
      }
      begun.push(subject);
    }
    return begun;
  }

  /**
   * Whether a page would be shown without its data or its files, because no more of them may wait. Another load of the
   * page would not help. The challenge does.
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
    // Files are free for all visitors, because other sites and mail programs show pictures too, and a preflight has
    // no cookie.
    if (isPlainFile(facts)) return 'data';
    const hasLoaded = store.remembers(this.#loaded, addressGroup(facts.ip));
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
    const waitMs = store.takeAll(this.#unseen + apart(facts), this.#unseenOfAddress(facts.ip));
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'data'));
  }

  /**
   * Takes a request for data from a network that loaded no page. A session can be copied to many networks, so it opens
   * only a few. A session that came with a challenge page and did not pass opens none, because it has no open page.
   */
  #takeMove(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    const { session } = facts;
    if (session.state !== 'issued' || session.challenge !== 'none')
      return this.#count(facts, store);
    return afterWith(this.#open(session.id, facts, store), undefined, (moved) =>
      moved ? 'data' : this.#count(facts, store),
    );
  }

  /** Opens the network of this request for data. False when the session has opened as many as it may. */
  #open(id: string, facts: Facts, store: SessionStore): MaybePromise<boolean> {
    const waitMs = store.take(this.#moves, sessionRoot(id), MOVES_OF_A_SESSION);
    return afterWith(waitMs, undefined, (wait) => {
      if (wait === 0) this.remember(facts, store);
      return wait === 0;
    });
  }

  /**
   * Opens the network of a visitor who passed, because his page is open there. It can ask an interface on another host,
   * where its requests have no cookie. A pass can be copied to many networks too, so it opens as few as a session.
   */
  openForPass(id: string, facts: Facts, store: SessionStore): void {
    const hasLoaded = store.remembers(this.#loaded, addressGroup(facts.ip));
    void afterWith(hasLoaded, undefined, (loaded) => loaded || this.#open(id, facts, store));
  }

  /** Remembers that a page was loaded. Its network may ask for data. */
  remember(facts: Facts, store: SessionStore): void {
    void store.remember(this.#loaded, addressGroup(facts.ip), PAGE_REMEMBERED_MS);
  }

  #takePage(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    return afterWith(this.#count(facts, store), undefined, (taken) => {
      if (taken === 'page') this.remember(facts, store);
      return taken;
    });
  }

  #count(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#pagesOfShape };
    const counter = isForeign(facts) ? `${this.#counter} foreign` : this.#counter;
    const waitMs = store.takeAll(counter, [...this.#pagesOfAddress(facts.ip), shape]);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
