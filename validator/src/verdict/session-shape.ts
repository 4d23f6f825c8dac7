import { CHALLENGE } from '@guard/config/contract/limits';
import type { Facts } from '../request/facts.ts';

const { firstDocuments, mostDocuments } = CHALLENGE.sessionShape;

/** Documents that come so soon after one another were opened at once: tabs, frames, a redirect. */
const BURST_GAP_MS = 1_000;

/** No person opens more tabs than these at once. */
const MOST_OF_BURST = 30;

/** Standard deviation of the times between documents, divided by their mean. Pauses of people are above 0.5. */
const MOST_VARIATION = 0.25;

/** No person types or picks addresses this fast, one after the other: time for each document of a walk. */
const HASTY_MS = 3_000;

/** One document in this many may repeat on a walk. As the table of paths is small, some only seem to repeat. */
const DOCUMENTS_FOR_A_REPEAT = 20;

/** Words of 32 bits: two bits for each document among 512. Of 80 documents two seem to come again. */
const WORDS = 16;
const MAX_PATH = 256;

/** What the shape of a session shows, once it shows enough. */
export interface Shape {
  /** It loaded something that pages are made of, or data. */
  readonly hasParts: boolean;
  /**
   * Documents came at regular intervals, or one a second and more for longer than a person opens tabs, or on a walk one
   * in each three seconds and more, all in all.
   */
  readonly isRegular: boolean;
  /** Each document was another one, and no link led to most of them. */
  readonly isWalk: boolean;
}

/** How many parts of pages, and answers with data, a session loaded. */
export interface LoadedParts {
  count: number;
}

/**
 * How one session moves through a site: which documents it loads, when, and what besides. The numbers stand for a
 * stretch of documents: ten at first, and twice as many each time that the visitor had to pass for it.
 */
export class SessionShape {
  /** It has taught what is usual here. Once, so that no session teaches more than others. */
  hasTaught = false;
  /** The pass for which it was found. Until the next one each page is challenged. */
  #foundIn: number | undefined;
  #stretch: number = firstDocuments;
  readonly #parts: LoadedParts;
  #partsBefore: number;
  #documents = 0;
  #repeats = 0;
  #links = 0;
  /** Documents that came together are one event: the number of events, the start of the last one, and its documents. */
  #events = 0;
  #eventAt = 0;
  #begunAt = 0;
  #inEvent = 0;
  /** There was a pause since its last document. */
  #isApart = false;
  #lastAt = 0;
  #lastHash = 0;
  /** The sum of the times between events, in seconds, and the sum of their squares. */
  #sum = 0;
  #squares = 0;
  readonly #seen: number[] = new Array<number>(WORDS).fill(0);

  constructor(parts: LoadedParts) {
    this.#parts = parts;
    this.#partsBefore = parts.count;
  }

  /** `passedAt` is when the session passed its challenge, in epoch milliseconds. */
  isFound(passedAt: number): boolean {
    return this.#foundIn === passedAt;
  }

  /** Two signs of three were found. After the next pass it begins anew, with a longer stretch. */
  found(passedAt: number): void {
    this.#foundIn = passedAt;
    this.#stretch = Math.min(this.#stretch * 2, mostDocuments);
  }

  /** Notes one document. Gives the shape at the end of a stretch, and then begins the next one. */
  add(facts: Pick<Facts, 'url' | 'headers' | 'referrer'>, nowMs: number): Shape | undefined {
    const hash = hashOf(facts.url.path, facts.url.query);
    // A reload is no step to another page, and a page that reloads itself has the rhythm of a machine.
    if (hash === this.#lastHash) return undefined;
    this.#lastHash = hash;
    // Also of a document that came again: the next one must not join the event before it.
    if (nowMs - this.#lastAt >= BURST_GAP_MS) this.#isApart = true;
    this.#lastAt = nowMs;
    if (this.#wasSeen(hash)) {
      this.#repeats += 1;
      return undefined;
    }
    if (this.#documents === 0) this.#begunAt = nowMs;
    this.#documents += 1;
    if (isLed(facts)) this.#links += 1;
    const isFast = this.#time(nowMs);
    if (this.#documents < this.#stretch) return undefined;
    const isWalk = this.#isWalk();
    const isHasty = isWalk && nowMs - this.#begunAt <= this.#documents * HASTY_MS;
    const isEnough = this.#events >= this.#stretch || (isHasty && this.#documents > MOST_OF_BURST);
    if (!isEnough && !isFast) return undefined;
    const shape = {
      hasParts: this.#parts.count > this.#partsBefore,
      isRegular: isFast || isHasty || this.#isEven(),
      isWalk,
    };
    this.#begin();
    return shape;
  }

  /** True where more documents came together than a person opens tabs. */
  #time(nowMs: number): boolean {
    if (this.#events > 0 && !this.#isApart) {
      this.#inEvent += 1;
      return this.#inEvent > MOST_OF_BURST;
    }
    if (this.#events > 0) {
      const seconds = (nowMs - this.#eventAt) / 1000;
      this.#sum += seconds;
      this.#squares += seconds * seconds;
    }
    this.#events += 1;
    this.#isApart = false;
    this.#eventAt = nowMs;
    this.#inEvent = 1;
    return false;
  }

  #isWalk(): boolean {
    const isNew = this.#repeats * DOCUMENTS_FOR_A_REPEAT <= this.#documents;
    return isNew && this.#links * 2 < this.#documents;
  }

  #isEven(): boolean {
    const intervals = this.#events - 1;
    const mean = this.#sum / intervals;
    const variance = this.#squares / intervals - mean * mean;
    return variance <= (MOST_VARIATION * mean) ** 2;
  }

  /** Notes a document. */
  #wasSeen(hash: number): boolean {
    const one = this.#note(hash);
    const other = this.#note(hash >>> 16);
    return one && other;
  }

  #note(bits: number): boolean {
    const word = (bits >>> 5) % WORDS;
    const bit = 1 << (bits & 31);
    const before = this.#seen[word] ?? 0;
    this.#seen[word] = before | bit;
    return (before & bit) !== 0;
  }

  #begin(): void {
    this.#partsBefore = this.#parts.count;
    this.#documents = 0;
    this.#repeats = 0;
    this.#links = 0;
    this.#events = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#seen.fill(0);
  }
}

/** A link led to the document, here or on another site, as far as the request says. */
function isLed({ headers, referrer }: Pick<Facts, 'headers' | 'referrer'>): boolean {
  const from = headers['sec-fetch-site'];
  return from === undefined ? referrer !== '' : from !== 'none';
}

/** FNV-1a of the first characters, and mixed: paths that differ only at their end must differ in all bits. */
function hashOf(path: string, query: string): number {
  const hash = hashOn(hashOn(0x811c9dc5, path), query);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

function hashOn(begun: number, text: string): number {
  let hash = begun;
  const end = Math.min(text.length, MAX_PATH);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
