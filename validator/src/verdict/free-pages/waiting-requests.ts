import type { Budget, Ending, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import type { Facts } from '../../request/facts.ts';
import { countsAsPage } from '../../request/representation.ts';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import { DOCUMENTS_AS_DATA, PART_OF_FEW } from './document-budgets.ts';
import { suffixOf } from '../documents.ts';
import { FORGOTTEN_MS, recentDocuments, type Subject, UnderWay } from '../counts/under-way.ts';

/**
 * For each free page, this many requests for data may wait for the origin at the same time. Documents that came back
 * reduce the number, because each waiting request could return one more document. A page over HTTP/2 can send a hundred
 * requests at once.
 */
const DATA_AT_ONCE = 20;

/**
 * The same limit for parts of pages. It is higher, because a page loads more parts than data, and several people share
 * an address. Programs that a preset allows have this limit too, for example builds that clone repositories.
 */
const PARTS_AT_ONCE = 100;

/** Prefixes of the counters of waiting requests: data, parts of pages, and programs that a preset allows. */
type Kind = '' | 'parts ' | 'preset ';

/** Limits the requests of an address without a pass that wait for the origin, and of the IPv6 networks around it. */
export class WaitingRequests {
  readonly #underWay: UnderWay;
  readonly #documentsMs: number;
  readonly #places: Readonly<Record<Kind, AddressCharges>>;

  /** `pages` are the free pages of an address. */
  constructor(organisation: string, pages: Budget) {
    const placesOf = (perPage: number) =>
      compileAddressCharges({ requests: pages.requests * perPage, perMs: FORGOTTEN_MS });
    const parts = placesOf(PARTS_AT_ONCE);
    this.#underWay = new UnderWay(`under-way:${organisation}`);
    this.#documentsMs = pages.perMs;
    this.#places = { '': placesOf(DATA_AT_ONCE), 'parts ': parts, 'preset ': parts };
  }

  /**
   * Counts one more waiting request, and returns the function to call at its end. `onEnd` returns whether the answer
   * was a document. Undefined, without counting, when too many requests of the address wait.
   */
  start(
    kind: Kind,
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    getsFew: boolean,
    onEnd: (ending: Ending) => boolean,
  ): RequestEnded | undefined {
    const subjects = this.#begin(kind, facts, store, nowMs, getsFew);
    return (
      subjects &&
      ((ending) => {
        for (const subject of subjects) this.#underWay.end(subject, store);
        if (!onEnd(ending)) return;
        for (const subject of subjects) {
          this.#underWay.noteDocument(subject, this.#documentsMs, nowMs, store);
        }
      })
    );
  }

  /**
   * Whether a page would be shown without its data or files, because no more of them may wait. Then Guard challenges
   * the visitor: after a pass all parts load, and a reload alone would not help.
   */
  isFull(facts: Facts, store: SessionStore, nowMs: number, getsFew: boolean): boolean {
    if (!countsAsPage(facts)) return false;
    return (['', 'parts '] as const).some((kind) => {
      const subjects = this.#begin(kind, facts, store, nowMs, getsFew);
      for (const subject of subjects ?? []) this.#underWay.end(subject, store);
      return subjects === undefined;
    });
  }

  /**
   * Counts one more waiting request for the address and the networks around it. `kind` is the prefix of the counters.
   * Returns undefined, and counts nothing, when one of the counters is at its limit.
   */
  #begin(
    kind: Kind,
    facts: Facts,
    store: SessionStore,
    nowMs: number,
    getsFew: boolean,
  ): readonly Subject[] | undefined {
    const part = partOfPlaces(kind, getsFew);
    const countedSubjects: Subject[] = [];
    for (const { subject: name, budget: places } of this.#places[kind](facts.ip)) {
      const subject = this.#underWay.subject(kind + name + suffixOf(facts), places);
      const limit = places.requests * part - recentDocuments(subject, nowMs);
      if (!this.#underWay.begin(subject, limit, nowMs, store)) {
        for (const counted of countedSubjects) this.#underWay.end(counted, store);
        return undefined;
      }
      countedSubjects.push(subject);
    }
    return countedSubjects;
  }
}

/** The part of the places that may be used, when the client shape has used up its documents (`getsFew`). */
function partOfPlaces(kind: Kind, getsFew: boolean): number {
  if (!getsFew) return 1;
  return (kind === '' ? DOCUMENTS_AS_DATA / DATA_AT_ONCE : 1) * PART_OF_FEW;
}
