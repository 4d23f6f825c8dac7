import { CHALLENGE } from '@guard/config/contract/limits';
import type { Facts } from '../request/facts.ts';

const { firstDocuments, mostDocuments } = CHALLENGE.sessionShape;

/** Documents with less time between them were opened together: tabs, frames, a redirect. */
const BURST_GAP_MS = 1_000;

/** No person opens more documents together. */
const MOST_OF_BURST = 30;

/**
 * The times between documents are regular when their standard deviation, divided by their mean, is at most this. For
 * people it is above 0.5.
 */
const MOST_VARIATION = 0.25;

/** The time for each document of a walk. No person types or selects addresses faster for long. */
const HASTY_MS = 3_000;

/** One document in this many may repeat on a walk, because the small table lets some only seem to repeat. */
const DOCUMENTS_FOR_A_REPEAT = 20;

/** The table has 16 words of 32 bits. Each document sets two bits. Of 80 documents two seem to repeat. */
const WORDS = 16;
const MAX_PATH = 256;

/** The signs in the shape of a session. */
export interface Shape {
  /** The session loaded parts of pages, or data. */
  readonly hasParts: boolean;
  /**
   * Documents came at regular intervals, or one a second and more for longer than a person opens tabs, or on a walk one
   * in each three seconds and more, all in all.
   */
  readonly isRegular: boolean;
  /** The documents hardly repeat, and no link led to most of them. */
  readonly isWalk: boolean;
}

/** The number of parts of pages and of answers with data that a session loaded. */
export interface LoadedParts {
  count: number;
}

/**
 * How one session moves through a site: which documents it loads, when, and with which parts. The counts are for one
 * stretch of documents. A stretch is ten documents at first, and doubles each time that the visitor had to pass
 * because of it.
 */
export class SessionShape {
  /** Whether this session was counted in PartsOfSites. Each session is counted once. */
  wasCounted = false;
  /** The pass in which the signs were found. Until the next pass each page is challenged. */
  #foundIn: number | undefined;
  #stretch: number = firstDocuments;
  readonly #parts: LoadedParts;
  #partsBefore: number;
  #documents = 0;
  #repeats = 0;
  #links = 0;
  /**
   * Documents that came together are one event. These are the number of events, the start of the last one, the start
   * of the stretch, and the documents in the last event.
   */
  #events = 0;
  #eventAt = 0;
  #begunAt = 0;
  #inEvent = 0;
  /** True when there was a pause since the last document. */
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

  /** Called when two signs of three were found. The next stretch is twice as long. */
  found(passedAt: number): void {
    this.#foundIn = passedAt;
    this.#stretch = Math.min(this.#stretch * 2, mostDocuments);
  }

  /** Notes one document. Returns the shape at the end of a stretch, and then starts the next one. */
  add(facts: Pick<Facts, 'url' | 'headers' | 'referrer'>, nowMs: number): Shape | undefined {
    const hash = hashOf(facts.url.path, facts.url.query);
    // A reload is not counted, because a page that reloads itself has regular intervals.
    if (hash === this.#lastHash) return undefined;
    this.#lastHash = hash;
    // This also counts for a document that repeats, so that the next one does not join an earlier event.
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

  /** Notes a document. True when it seems to have come before. */
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

/** Whether a link led to the document, from this site or another one, by what the request says. */
function isLed({ headers, referrer }: Pick<Facts, 'headers' | 'referrer'>): boolean {
  const from = headers['sec-fetch-site'];
  return from === undefined ? referrer !== '' : from !== 'none';
}

/** FNV-1a of the first characters, mixed, so that paths that differ at their end differ in all bits. */
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
