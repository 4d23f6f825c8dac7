import type {
  Budget,
  MaybePromise,
  RequestEnded,
  SessionStore,
} from '@guard/config/contract/ports';
import { addressGroup } from '@guard/config/net/network-of';
import type { Organisation } from '@guard/config/settings/schema';
import { afterWith } from '../deadline.ts';
import { clientShape } from '../request/client-shape.ts';
import type { Facts } from '../request/facts.ts';
import { isFileOfPage, isPage } from '../request/part-of-page.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { begin, end, UnderWay } from './under-way.ts';

/** Many people share the shape of their browser, so all of them together have so many budgets. */
const BUDGETS_OF_A_SHAPE = 20;

/** Documents that a visitor may get for data, for each free page: a list that grows is made of them. */
const DOCUMENTS_AS_DATA = 10;

/** A tab can stay open for hours without loading another page. Until then its network may ask for data. */
const PAGE_REMEMBERED_MS = 86_400_000;

/**
 * Parts of pages that may wait for their origin at the same time, for each free page. A page over HTTP/2 asks for a
 * hundred at once, and several people share an address.
 */
const PARTS_AT_ONCE = 100;

/** `page` and `data` are free. `data` is everything that is no page: the answer may show that it was one. */
export type FreePage = 'page' | 'data' | 'spent';

/**
 * `challenge: auto` for visitors who did not pass the challenge yet: their first pages are free. Pages are
 * counted for each address, for the IPv6 networks around it, and for each shape of a client.
 *
 * A request for data is free for a visitor who has been here: one with a session that Guard issued, or from a
 * network that loaded a page. For others it counts as a page. A script can call every request one for data.
 * So {@link awaitEnd} counts it when the origin answers with a document.
 */
export class FreePages {
  readonly #counter: string;
  readonly #loaded: string;
  readonly #documents: string;
  readonly #documentFiles: string;
  readonly #pagesOfAddress: AddressCharges;
  readonly #pagesOfShape: Budget;
  readonly #documentsOfAddress: AddressCharges;
  readonly #pages: Budget;
  readonly #underWay = new UnderWay();

  /** Undefined where the organisation has no free pages, and so no challenge that comes after them. */
  static of({ id, challenge }: Pick<Organisation, 'id' | 'challenge'>): FreePages | undefined {
    const { free_pages: free } = challenge;
    return free === false
      ? undefined
      : new FreePages(id, { requests: free.pages, perMs: free.per });
  }

  constructor(organisation: string, budget: Budget) {
    const times = (factor: number) => ({ ...budget, requests: budget.requests * factor });
    // A rule's budget has a blank in its name, and these have none.
    this.#counter = `free-pages:${organisation}`;
    this.#loaded = `loaded-a-page:${organisation}`;
    this.#documents = `documents-as-data:${organisation}`;
    this.#documentFiles = `documents-as-files:${organisation}`;
    this.#pagesOfAddress = compileAddressCharges(budget);
    this.#pagesOfShape = times(BUDGETS_OF_A_SHAPE);
    this.#documentsOfAddress = compileAddressCharges(times(DOCUMENTS_AS_DATA));
    this.#pages = budget;
  }

  /** Counts one request of a visitor who did not pass the challenge. */
  take(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    if (isPage(facts)) return this.#takePage(facts, store);
    const isSpent = store.remembers(this.#documentsFor(facts), addressGroup(facts.ip));
    return afterWith(isSpent, undefined, (spent) =>
      spent ? 'spent' : this.#takeData(facts, store),
    );
  }

  /**
   * Waits for the end of a request for data, to count it when it was a document. Undefined, and the request is not
   * free, when so many of its address wait at once that they could be more documents than are free.
   */
  awaitEnd(facts: Facts, store: SessionStore, nowMs: number): RequestEnded | undefined {
    const isPart = isFileOfPage(facts);
    const group = addressGroup(facts.ip);
    const subject = isPart ? `parts ${group}` : group;
    const atOnce = this.#pages.requests * (isPart ? PARTS_AT_ONCE : DOCUMENTS_AS_DATA);
    const waiting = this.#underWay.of(subject);
    if (!begin(waiting, atOnce, nowMs)) return undefined;
    return (how) => {
      end(waiting);
      if (how === 'document') this.#countDocument(facts, store);
    };
  }

  /** Data and files have counters apart. When data is used up, files and preflights of the same address stay free. */
  #documentsFor(facts: Facts): string {
    return isFileOfPage(facts) ? this.#documentFiles : this.#documents;
  }

  #countDocument(facts: Facts, store: SessionStore): void {
    void this.#count(facts, store);
    const documents = this.#documentsFor(facts);
    const waitMs = store.takeAll(documents, this.#documentsOfAddress(facts.ip));
    // For the whole time, and not until one more is free: then as many could be asked for at once as before.
    void afterWith(waitMs, undefined, (wait) =>
      wait === 0 ? undefined : store.remember(documents, addressGroup(facts.ip), this.#pages.perMs),
    );
  }

  #takeData(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    // Free for everybody: other sites and readers of mail show pictures too, and a preflight brings no cookie.
    if (isFileOfPage(facts)) return 'data';
    if (facts.session.state === 'issued') return 'data';
    const hasLoaded = store.remembers(this.#loaded, addressGroup(facts.ip));
    return afterWith(hasLoaded, undefined, (loaded) =>
      loaded ? 'data' : this.#count(facts, store),
    );
  }

  #takePage(facts: Facts, store: SessionStore): MaybePromise<FreePage> {
    return afterWith(this.#count(facts, store), undefined, (taken) => {
      if (taken === 'page') {
        void store.remember(this.#loaded, addressGroup(facts.ip), PAGE_REMEMBERED_MS);
      }
      return taken;
    });
  }

  #count(facts: Facts, store: SessionStore): MaybePromise<'page' | 'spent'> {
    const shape = { subject: `shape ${clientShape(facts)}`, budget: this.#pagesOfShape };
    const waitMs = store.takeAll(this.#counter, [...this.#pagesOfAddress(facts.ip), shape]);
    return afterWith(waitMs, undefined, (wait) => (wait > 0 ? 'spent' : 'page'));
  }
}
