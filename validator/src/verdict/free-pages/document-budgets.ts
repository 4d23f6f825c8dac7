import type {
  Budget,
  Charge,
  Ending,
  MaybePromise,
  SessionStore,
} from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { isFileOfPage } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { afterWith } from '../../session/after-with.ts';
import { suffixOf, isFileOfData, shapeOf } from '../documents.ts';
import { LateCache } from '../counts/late-cache.ts';

/**
 * Number of documents that an address can get as answers to requests for data, for each of its free pages. For example,
 * a page that loads more entries while the visitor scrolls needs them.
 */
export const DATA_DOCUMENTS_PER_PAGE = 10;

/** Many people share one client shape. Together they get this many times the documents of one address. */
const SHAPE_BUDGET_FACTOR = 15;

/**
 * When a client shape has used up its documents, each address with this shape gets only this share of its usual
 * documents.
 */
export const SHARE_OF_SMALL_BUDGET = 1 / 6;

/**
 * Maximum number of used-up client shapes in each thread. Above this number, the least recently used shape is
 * forgotten.
 */
const MAX_SPENT_SHAPES = 1_024;

/**
 * Limits the documents (documents.ts) that visitors without a pass get in answer to requests for data or files. Counts
 * documents for each address, for the IPv6 networks around it, and for each client shape.
 */
export class DocumentBudgets {
  readonly #counterName: string;
  readonly #smallCounterName: string;
  readonly #spentNames: Readonly<
    Record<'few' | 'many', Readonly<Record<'data' | 'files', string>>>
  >;
  readonly #addressCharges: AddressCharges;
  readonly #smallAddressCharges: AddressCharges;
  readonly #shapeBudget: Budget;
  readonly #spentShapes = new LateCache<number>(MAX_SPENT_SHAPES);
  readonly #perMs: number;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget) {
    const times = (factor: number) => ({
      ...pages,
      requests: Math.floor(pages.requests * DATA_DOCUMENTS_PER_PAGE * factor),
    });
    this.#counterName = `documents:${organisation}`;
    this.#smallCounterName = `few-documents:${organisation}`;
    const spentNames = (prefix: string) => ({
      data: `${prefix}documents-as-data:${organisation}`,
      files: `${prefix}documents-as-files:${organisation}`,
    });
    this.#spentNames = { few: spentNames('few-'), many: spentNames('') };
    this.#addressCharges = compileAddressCharges(times(1));
    this.#smallAddressCharges = compileAddressCharges(times(SHARE_OF_SMALL_BUDGET));
    this.#shapeBudget = times(SHAPE_BUDGET_FACTOR);
    this.#perMs = pages.perMs;
  }

  /**
   * Whether this visitor's client shape has used up its documents in this thread. Then each address with this shape has
   * the small budget.
   */
  isShapeSpent(facts: Facts, nowMs: number): boolean {
    if (this.#spentShapes.size === 0) return false;
    const leftMs = (this.#spentShapes.get(shapeOf(facts)) ?? 0) - nowMs;
    return leftMs > 0 && leftMs <= this.#perMs;
  }

  /**
   * The names under which the store remembers that an address has used up its documents. Data and files have separate
   * names, because an address without documents for data can still request files and preflights, until the origin
   * answers a request for a file with a document. After that its pages are not free either, because their style files
   * are not free. The small budget has its own names. It is always counted, because a count that begins with a flood
   * would miss the first documents of the flood.
   */
  #spentNamesFor(facts: Facts, hasSmallBudget: boolean): readonly [string, ...string[]] {
    const { data, files } = this.#spentNames[hasSmallBudget ? 'few' : 'many'];
    return isFileOfPage(facts) ? [files, data] : [data];
  }

  /**
   * Whether this address, or an IPv6 network around it, has used up its documents. `hasSmallBudget` is the result of
   * isShapeSpent.
   */
  isAddressSpent(
    facts: Facts,
    store: SessionStore,
    hasSmallBudget: boolean,
  ): MaybePromise<boolean> {
    const [name] = this.#spentNamesFor(facts, hasSmallBudget);
    let isSpent: MaybePromise<boolean> = false;
    for (const { subject } of this.#addressCharges(facts.ip)) {
      const remembered = store.remembers(name, subject + suffixOf(facts));
      isSpent = afterWith(isSpent, remembered, (spent, isThisSpent) => spent || isThisSpent);
    }
    return isSpent;
  }

  /** Counts one answer of the origin that is a document (isDocument) for the address and the client shape. */
  count(answerKind: Ending, facts: Facts, store: SessionStore, nowMs: number): void {
    const charge = (
      name: string,
      [first, ...wider]: readonly Charge[],
      hasSmallBudget: boolean,
    ): void => {
      if (first === undefined) return;
      const { subject, budget } = first;
      void afterWith(store.take(name + suffixOf(facts), subject, budget), undefined, (wait) => {
        // A wider network is charged only while this budget lasts, so that one visitor cannot use up the budget of
        // other visitors.
        if (wait === 0) {
          charge(name, wider, hasSmallBudget);
          return;
        }
        // The documents of the address stay used up for the whole period. Otherwise the address could send many
        // requests at once as soon as its budget has one more document.
        for (const spentName of this.#spentNamesFor(facts, hasSmallBudget)) {
          void store.remember(spentName, subject + suffixOf(facts), this.#perMs);
        }
      });
    };
    charge(this.#counterName, this.#addressCharges(facts.ip), false);
    charge(this.#smallCounterName, this.#smallAddressCharges(facts.ip), true);
    if (answerKind === 'data' && isFileOfData(facts)) return;
    const shape = shapeOf(facts);
    const shapeWaitMs = store.take(this.#counterName, `shape ${shape}`, this.#shapeBudget);
    void afterWith(shapeWaitMs, undefined, (wait) => {
      if (wait > 0) this.#spentShapes.set(shape, nowMs + this.#perMs);
    });
  }
}
