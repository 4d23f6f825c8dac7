import type { Budget, Ending, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { isFileOfPage } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { afterWith } from '../../session/after-with.ts';
import type { AnswerWatch } from '../counts/answer-watch.ts';
import { reserve } from '../counts/reserve.ts';
import { isDocument, isFileOfData, isForeign, isUselessDocument, suffixOf } from '../documents.ts';
import { type ClaimedMedia, isFalse } from './claimed-media.ts';
import { DocumentBudgets } from './document-budgets.ts';

/**
 * Number of requests for data of an address that may wait for the origin at once, for each of its free pages. With five
 * free pages this is 100: a page over HTTP/2 can send 100 requests at once. After a minute a waiting request is not
 * counted any more.
 */
const DATA_AT_ONCE = 20;
const WAITING_MS = 60_000;

/** How many documents a visitor without a pass can get now. */
export interface DocumentTerms {
  /** The client shape has used up its documents, or is under pressure. */
  readonly isInFlood: boolean;
  /** The visitors of the site who passed get hardly any documents in answer to requests for data. */
  readonly areRare: boolean;
}

/** Methods whose request can be sent again without a further effect (RFC 9110 section 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** Counts a free page. Returns `spent` when the address or its client shape has none left. */
type CountPage = (facts: Facts, store: SessionStore) => MaybePromise<'page' | 'spent'>;

/** Watches the answers to requests for data and media that were free, and holds back documents. */
export class DataAnswers {
  readonly documents: DocumentBudgets;
  readonly media: ClaimedMedia;
  readonly #countPage: CountPage;
  readonly #waitingCounter: string;
  readonly #waitingOfAddress: AddressCharges;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget, media: ClaimedMedia, countPage: CountPage) {
    this.documents = new DocumentBudgets(organisation, pages);
    this.media = media;
    this.#countPage = countPage;
    this.#waitingCounter = `under-way:${organisation}`;
    this.#waitingOfAddress = compileAddressCharges({
      requests: pages.requests * DATA_AT_ONCE,
      perMs: WAITING_MS,
    });
  }

  /**
   * Watches a free request for data. Its answer is held back when it is a document and the address has no document
   * left. A document takes a free page, and then `onPage` is called.
   *
   * Guard must not hold back the answer to a request that can change something, for example an order. So such a request
   * takes a document before it reaches the origin, and gives it back when the answer is no document. For a page of
   * another site, Guard holds back such an answer nevertheless.
   *
   * Returns undefined when the request is not free: no document is left for it, or too many requests wait.
   */
  watchData(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    { isInFlood, areRare }: DocumentTerms,
    onPage: () => void,
  ): AnswerWatch | undefined {
    const endWaiting = this.#startWaiting(facts, store);
    if (endWaiting === undefined) return undefined;
    const canBeHeldBack = SAFE_METHODS.has(facts.method) || isForeign(facts);
    let giveBack = canBeHeldBack ? undefined : this.documents.reserveAhead(facts, store, isInFlood);
    if (!canBeHeldBack && giveBack === undefined) {
      endWaiting();
      return undefined;
    }
    const admits = (ending: Ending, isShared: boolean) => {
      if (!isDocument(ending, facts)) return true;
      const isUseless = isUselessDocument(ending, isShared, facts);
      giveBack = this.documents.reserve(facts, store, isInFlood || areRare, isUseless);
      return giveBack !== undefined;
    };
    return {
      admits: canBeHeldBack ? admits : undefined,
      ended: (ending) => {
        endWaiting();
        if (!isDocument(ending, facts)) {
          giveBack?.();
          return;
        }
        if (ending === 'document' || !isFileOfData(facts)) {
          void afterWith(this.#countPage(facts, store), undefined, (freePage) => {
            if (freePage === 'page') onPage();
          });
        }
        this.documents.count(ending, facts, store, nowMs);
      },
    };
  }

  /** Like watchData, for a request that is free as `media`. An answer that is no media takes a free page. */
  watchMedia(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    onPage: () => void,
  ): AnswerWatch | undefined {
    const endWaiting = this.#startWaiting(facts, store);
    if (endWaiting === undefined) return undefined;
    let giveBack: (() => void) | undefined;
    return {
      admits: (ending) => {
        if (!isFalse(ending)) return true;
        giveBack = this.media.reserve(facts, store);
        return giveBack !== undefined;
      },
      ended: (ending) => {
        endWaiting();
        if (!isFalse(ending)) {
          giveBack?.();
          return;
        }
        void afterWith(this.#countPage(facts, store), undefined, (freePage) => {
          if (freePage === 'page') onPage();
          else this.media.stopBelieving(facts, store);
        });
        if (ending === 'document') this.documents.count(ending, facts, store, nowMs);
      },
    };
  }

  /**
   * Counts one more request for data that waits for the origin, and returns the function to call at its end. Undefined
   * when too many wait. Then the next page of the address is challenged, because it could lack its data.
   */
  #startWaiting(facts: Facts, store: SessionStore): (() => void) | undefined {
    if (isFileOfPage(facts)) return doNothing;
    const charges = this.#waitingOfAddress(facts.ip);
    const end = reserve(this.#waitingCounter + suffixOf(facts), charges, store);
    if (end === undefined) this.documents.noteRefusedData(facts, store);
    return end;
  }
}

function doNothing(): void {}
