import type {
  Budget,
  Charge,
  Ending,
  MaybePromise,
  SessionStore,
} from '@guard/config/contract/ports';
import type { Facts } from '../request/facts.ts';
import { isFileOfPage } from '../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../rules/address-charges.ts';
import { afterWith } from '../session/after-with.ts';
import { apart, isFileOfData, shapeOf } from './documents.ts';
import { LateCache } from './late-cache.ts';

/** For each free page, so many documents may answer requests for data. Lists that grow load such documents. */
export const DOCUMENTS_AS_DATA = 10;

/** Many people share one client shape. Together they have this many budgets of documents. */
const BUDGETS_OF_A_SHAPE = 15;

/**
 * When its client shape has used up its documents, an address gets only this part of its documents and waiting
 * requests.
 */
export const PART_OF_FEW = 1 / 6;

/** Shapes without free documents, in each thread. When there are more, the one unused longest is forgotten. */
const MAX_SPENT_SHAPES = 1_024;

/**
 * How many documents (documents.ts) visitors get who did not pass the challenge and did not ask for them as pages.
 * Documents are counted for each address, for the IPv6 networks around it, and for each client shape.
 */
export class DocumentBudgets {
  readonly #documents: string;
  readonly #fewDocuments: string;
  readonly #spent: Readonly<Record<'few' | 'many', Readonly<Record<'data' | 'files', string>>>>;
  readonly #ofAddress: AddressCharges;
  readonly #fewOfAddress: AddressCharges;
  readonly #ofShape: Budget;
  readonly #spentShapes = new LateCache<number>(MAX_SPENT_SHAPES);
  readonly #perMs: number;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget) {
    const times = (factor: number) => ({
      ...pages,
      requests: Math.floor(pages.requests * DOCUMENTS_AS_DATA * factor),
    });
    this.#documents = `documents:${organisation}`;
    this.#fewDocuments = `few-documents:${organisation}`;
    const spent = (prefix: string) => ({
      data: `${prefix}documents-as-data:${organisation}`,
      files: `${prefix}documents-as-files:${organisation}`,
    });
    this.#spent = { few: spent('few-'), many: spent('') };
    this.#ofAddress = compileAddressCharges(times(1));
    this.#fewOfAddress = compileAddressCharges(times(PART_OF_FEW));
    this.#ofShape = times(BUDGETS_OF_A_SHAPE);
    this.#perMs = pages.perMs;
  }

  /** Whether this visitor's shape has used up its documents in this thread. Then each address has few. */
  areFew(facts: Facts, nowMs: number): boolean {
    if (this.#spentShapes.size === 0) return false;
    const leftMs = (this.#spentShapes.get(shapeOf(facts)) ?? 0) - nowMs;
    return leftMs > 0 && leftMs <= this.#perMs;
  }

  /**
   * An address that has used up its documents is remembered by these names. Data and files have different names, so
   * that files and preflights stay free until a file is a document too. Then pages are not free either, because they
   * would be shown without their styles. The documents of `few` are counted all the time, under names of their own. To
   * count them only from the beginning of a flood would be too late.
   */
  #spentFor(facts: Facts, few: boolean): readonly [string, ...string[]] {
    const { data, files } = this.#spent[few ? 'few' : 'many'];
    return isFileOfPage(facts) ? [files, data] : [data];
  }

  /**
   * Whether this visitor's address, or an IPv6 network around it, has used up its documents. `few` is the result of
   * areFew.
   */
  areSpent(facts: Facts, store: SessionStore, few: boolean): MaybePromise<boolean> {
    const [name] = this.#spentFor(facts, few);
    let isSpent: MaybePromise<boolean> = false;
    for (const { subject } of this.#ofAddress(facts.ip)) {
      const remembered = store.remembers(name, subject + apart(facts));
      isSpent = afterWith(isSpent, remembered, (spent, others) => spent || others);
    }
    return isSpent;
  }

  /** Counts one answer of the origin that is a document (isDocument), for its address and its shape. */
  count(how: Ending, facts: Facts, store: SessionStore, nowMs: number): void {
    const charge = (name: string, [first, ...wider]: readonly Charge[], few: boolean): void => {
      if (first === undefined) return;
      const { subject, budget } = first;
      void afterWith(store.take(name + apart(facts), subject, budget), undefined, (wait) => {
        // A wider network is charged only while this budget lasts. So one visitor cannot use up the wider one for the
        // others.
        if (wait === 0) {
          charge(name, wider, few);
          return;
        }
        // The address is blocked for the whole time of the budget, and not only until one more document is free.
        // Otherwise it could ask for many at once again.
        for (const spent of this.#spentFor(facts, few)) {
          void store.remember(spent, subject + apart(facts), this.#perMs);
        }
      });
    };
    charge(this.#documents, this.#ofAddress(facts.ip), false);
    charge(this.#fewDocuments, this.#fewOfAddress(facts.ip), true);
    if (how === 'data' && isFileOfData(facts)) return;
    const shape = shapeOf(facts);
    const ofShapeMs = store.take(this.#documents, `shape ${shape}`, this.#ofShape);
    void afterWith(ofShapeMs, undefined, (wait) => {
      if (wait > 0) this.#spentShapes.set(shape, nowMs + this.#perMs);
    });
  }
}
