import type { Budget, Ending, SessionStore, MaybePromise } from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { afterWith } from '../../session/after-with.ts';
import { LazyCache } from '../counts/lazy-cache.ts';
import { reserve } from '../counts/reserve.ts';
import { isFileOfData, isPlainFile, shapeOf, suffixOf } from '../documents.ts';

/**
 * Number of documents that an address can get as answers to requests for data, for each of its free pages. For example,
 * a page that loads more entries while the visitor scrolls needs them.
 */
const DATA_DOCUMENTS_PER_PAGE = 10;

/** Many people share one client shape. Together they get this many times the documents of one address. */
const SHAPE_BUDGET_FACTOR = 15;

/** An address with the small budget gets only this share of its usual documents. */
const SHARE_OF_SMALL_BUDGET = 1 / 6;

/**
 * Maximum number of used-up client shapes in each thread. Above this number, the least recently used shape is
 * forgotten.
 */
const MAX_SPENT_SHAPES = 1_024;

/** One of the two budgets of an address. */
interface AddressBudget {
  readonly counter: string;
  readonly charges: AddressCharges;
}

/**
 * Limits the documents (documents.ts) that visitors without a pass get in answer to requests for data or files. Counts
 * documents for each address, for the IPv6 networks around it, and for each client shape.
 *
 * A document is taken from the budgets of the address before it goes to the visitor ({@link reserve}), so many requests
 * at once get no more than the budgets. The threads of this process share these budgets. {@link count} then
 * tells the other instances and the client shape.
 */
export class DocumentBudgets {
  readonly #counterName: string;
  readonly #spentName: string;
  readonly #lackingName: string;
  readonly #heldName: string;
  readonly #full: AddressBudget;
  readonly #small: AddressBudget;
  readonly #shapeBudget: Budget;
  readonly #spentShapes = new LazyCache<number>(MAX_SPENT_SHAPES);
  readonly #perMs: number;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget) {
    const times = (factor: number) => ({
      ...pages,
      requests: Math.floor(pages.requests * DATA_DOCUMENTS_PER_PAGE * factor),
    });
    const budgetOf = (name: string, factor: number): AddressBudget => ({
      counter: `${name}:${organisation}`,
      charges: compileAddressCharges(times(factor)),
    });
    this.#counterName = `documents:${organisation}`;
    this.#spentName = `documents-spent:${organisation}`;
    this.#lackingName = `lacks-data:${organisation}`;
    this.#heldName = `held-documents:${organisation}`;
    this.#full = budgetOf('reserved-documents', 1);
    this.#small = budgetOf('few-documents', SHARE_OF_SMALL_BUDGET);
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
   * Whether this address, or an IPv6 network around it, has used up its documents, or lacked data (noteRefusedData). Then
   * its next page is challenged.
   */
  isAddressSpent(facts: Facts, store: SessionStore): MaybePromise<boolean> {
    const isSpent = this.#remembers(this.#spentName, facts, store);
    const lacksData = this.#remembers(this.#lackingName, facts, store);
    return afterWith(isSpent, lacksData, (spent, lacks) => spent || lacks);
  }

  /**
   * Whether Guard held back more documents of the address than its budget of documents. Then its requests for data do
   * not reach the origin any more.
   */
  hasManyHeldBack(facts: Facts, store: SessionStore): MaybePromise<boolean> {
    return this.#remembers(this.#heldName, facts, store);
  }

  #remembers(name: string, facts: Facts, store: SessionStore): MaybePromise<boolean> {
    let isKnown: MaybePromise<boolean> = false;
    for (const { subject } of this.#full.charges(facts.ip)) {
      const remembered = store.remembers(name, subject + suffixOf(facts));
      isKnown = afterWith(isKnown, remembered, (known, isThisKnown) => known || isThisKnown);
    }
    return isKnown;
  }

  /**
   * Takes one document from the budgets of the address. Returns the function that gives it back, or undefined when none
   * is left. Then the address gets no more documents for the whole period. Otherwise it would get one more whenever
   * its budget grows by one. Documents that no page can use (isUselessDocument) have a counter of their own.
   */
  reserve(
    facts: Facts,
    store: SessionStore,
    hasSmallBudget: boolean,
    isUseless = false,
  ): (() => void) | undefined {
    const suffix = isUseless ? ' useless' : suffixOf(facts);
    const [first] = this.#full.charges(facts.ip);
    if (first === undefined) return undefined;
    const { subject, budget } = first;
    const isSpent = store.remembers(this.#spentName, subject + suffix) === true;
    if (!isSpent) {
      const isSmall = hasSmallBudget || isUseless;
      const giveBack = this.#take(facts.ip, suffix, store, isSmall);
      if (giveBack !== undefined) return giveBack;
      // A visitor with a used-up /48 has 65,536 networks. Each of them would add entries for itself.
      const giveBackWider = this.#take(facts.ip, suffix, store, isSmall, 1);
      if (giveBackWider === undefined) return undefined;
      giveBackWider();
    }
    this.#remember(this.#spentName, facts.ip, suffix, store);
    // Plain files reach the origin also later, so they do not end the data of a page that lacks many pictures.
    if (isPlainFile(facts)) {
      this.noteRefusedData(facts, store);
      return undefined;
    }
    const requestSubject = subject + suffixOf(facts);
    if (store.takeInProcess(this.#heldName, [{ subject: requestSubject, budget }]) > 0)
      void store.remember(this.#heldName, requestSubject, this.#perMs);
    return undefined;
  }

  /**
   * Takes one document for a request before its answer is known. When none is left, some of the waiting requests that
   * took one will perhaps give it back. So the address does not lose its documents, and only its next page is challenged.
   */
  reserveAhead(facts: Facts, store: SessionStore, isSmall: boolean): (() => void) | undefined {
    const giveBack = this.#take(facts.ip, suffixOf(facts), store, isSmall);
    if (giveBack === undefined) this.noteRefusedData(facts, store);
    return giveBack;
  }

  /** Notes that a request for data of the address was refused, so that its next page is challenged. */
  noteRefusedData(facts: Facts, store: SessionStore): void {
    this.#remember(this.#lackingName, facts.ip, suffixOf(facts), store);
  }

  #remember(name: string, ip: string, suffix: string, store: SessionStore): void {
    const [narrowest] = this.#full.charges(ip);
    void store.remember(name, (narrowest?.subject ?? ip) + suffix, this.#perMs);
  }

  /**
   * Takes from both budgets. The small budget is always counted, because a count that begins with a flood would miss
   * the first documents of the flood. With `from` 1, only the networks around the address are charged.
   */
  #take(
    ip: string,
    suffix: string,
    store: SessionStore,
    hasSmallBudget: boolean,
    from = 0,
  ): (() => void) | undefined {
    const takeFrom = ({ counter, charges }: AddressBudget) =>
      reserve(counter + suffix, charges(ip).slice(from), store);
    const giveBackSmall = takeFrom(this.#small);
    if (giveBackSmall === undefined && hasSmallBudget) return undefined;
    const giveBackFull = takeFrom(this.#full);
    if (giveBackFull === undefined) {
      giveBackSmall?.();
      return undefined;
    }
    return () => {
      giveBackSmall?.();
      giveBackFull();
    };
  }

  /** Counts a document that the visitor gets, for all instances and for the client shape. */
  count(answerKind: Ending, facts: Facts, store: SessionStore, nowMs: number): void {
    // A wider network is charged only while the budget of the narrower network lasts, so that one visitor cannot use up
    // the budget of other visitors.
    const charge = ([first, ...wider]: ReturnType<AddressCharges>): void => {
      if (first === undefined) return;
      const subject = first.subject + suffixOf(facts);
      void afterWith(store.take(this.#counterName, subject, first.budget), undefined, (wait) =>
        wait === 0 ? charge(wider) : void store.remember(this.#spentName, subject, this.#perMs),
      );
    };
    charge(this.#full.charges(facts.ip));
    if (answerKind === 'data' && isFileOfData(facts)) return;
    const shape = shapeOf(facts);
    const shapeWaitMs = store.take(this.#counterName, `shape ${shape}`, this.#shapeBudget);
    void afterWith(shapeWaitMs, undefined, (wait) => {
      if (wait > 0) this.#spentShapes.set(shape, nowMs + this.#perMs);
    });
  }
}
