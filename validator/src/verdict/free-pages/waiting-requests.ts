import type { Budget, Ending, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { countsAsPage } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { DATA_DOCUMENTS_PER_PAGE, SHARE_OF_SMALL_BUDGET } from './document-budgets.ts';
import { suffixOf } from '../documents.ts';
import { FORGOTTEN_MS, recentDocuments, type Subject, UnderWay } from '../counts/under-way.ts';

/**
 * For each of its free pages, an address may have this many requests for data that wait for the origin at once. Each
 * document (documents.ts) that came back recently lowers the limit by one, because each waiting request could return
 * one more document. With five free pages, the limit allows the hundred requests that a page over HTTP/2 can send at
 * once.
 */
const DATA_AT_ONCE = 20;

/**
 * For each of its free pages, an address may have this many waiting requests for parts of pages. It is higher, because
 * a page loads more parts than data, and several people can share an address. It also applies to programs that a preset
 * allows, for example builds that clone repositories.
 */
const PARTS_AT_ONCE = 100;

/** Prefixes of the counters of waiting requests: data, parts of pages, and programs that a preset allows. */
type CounterPrefix = '' | 'parts ' | 'preset ';

/**
 * Limits how many requests of visitors without a pass can wait for the origin at once, for each address and for the
 * IPv6 networks around it.
 */
export class WaitingRequests {
  readonly #underWay: UnderWay;
  readonly #documentPeriodMs: number;
  readonly #limits: Readonly<Record<CounterPrefix, AddressCharges>>;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget) {
    const limitsFor = (perPage: number) =>
      compileAddressCharges({ requests: pages.requests * perPage, perMs: FORGOTTEN_MS });
    const parts = limitsFor(PARTS_AT_ONCE);
    this.#underWay = new UnderWay(`under-way:${organisation}`);
    this.#documentPeriodMs = pages.perMs;
    this.#limits = { '': limitsFor(DATA_AT_ONCE), 'parts ': parts, 'preset ': parts };
  }

  /**
   * Counts one more waiting request, and returns the function to call at its end. `endsAsDocument` decides whether the
   * answer lowers the limit. Returns undefined, and counts nothing, when too many requests of the address wait.
   */
  start(
    prefix: CounterPrefix,
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    hasSmallBudget: boolean,
    endsAsDocument: (answerKind: Ending) => boolean,
  ): RequestEnded | undefined {
    const subjects = this.#begin(prefix, facts, store, nowMs, hasSmallBudget);
    return (
      subjects &&
      ((answerKind) => {
        for (const subject of subjects) this.#underWay.end(subject, store);
        if (!endsAsDocument(answerKind)) return;
        for (const subject of subjects) {
          this.#underWay.noteDocument(subject, this.#documentPeriodMs, nowMs, store);
        }
      })
    );
  }

  /**
   * Whether a page would lack its data or files, because no more requests for them are allowed to wait. Then Guard
   * challenges the visitor, because all parts load after a pass. A reload without a pass would not help.
   */
  wouldLackParts(
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    hasSmallBudget: boolean,
  ): boolean {
    if (!countsAsPage(facts)) return false;
    return (['', 'parts '] as const).some((prefix) => {
      const subjects = this.#begin(prefix, facts, store, nowMs, hasSmallBudget);
      for (const subject of subjects ?? []) this.#underWay.end(subject, store);
      return subjects === undefined;
    });
  }

  /**
   * Counts one more waiting request for the address and the networks around it.
   * Returns undefined, and counts nothing, when one of the counters is at its limit.
   */
  #begin(
    prefix: CounterPrefix,
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    hasSmallBudget: boolean,
  ): readonly Subject[] | undefined {
    const share = shareOfLimit(prefix, hasSmallBudget);
    const countedSubjects: Subject[] = [];
    for (const { subject: name, budget: limitBudget } of this.#limits[prefix](facts.ip)) {
      const subject = this.#underWay.subject(prefix + name + suffixOf(facts), limitBudget);
      const limit = limitBudget.requests * share - recentDocuments(subject, nowMs);
      if (!this.#underWay.begin(subject, limit, nowMs, store)) {
        for (const counted of countedSubjects) this.#underWay.end(counted, store);
        return undefined;
      }
      countedSubjects.push(subject);
    }
    return countedSubjects;
  }
}

/**
 * The share of the limit that applies now. With `hasSmallBudget` it is smaller: the client shape has used up its
 * documents, or is under pressure.
 */
function shareOfLimit(prefix: CounterPrefix, hasSmallBudget: boolean): number {
  if (!hasSmallBudget) return 1;
  return (prefix === '' ? DATA_DOCUMENTS_PER_PAGE / DATA_AT_ONCE : 1) * SHARE_OF_SMALL_BUDGET;
}
