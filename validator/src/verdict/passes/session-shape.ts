import { CHALLENGE } from '@guard/config/contract/limits';
import type { Facts } from '../../request/facts.ts';

const { firstDocuments, maxDocuments } = CHALLENGE.sessionShape;

/**
 * Documents with shorter pauses between them are one burst: they were opened together, for example as tabs, as frames or
 * by a redirect.
 */
const BURST_GAP_MS = 1_000;

/** A person opens at most this many documents in one burst. */
const MAX_OF_BURST = 30;

/**
 * Intervals between documents are regular when their standard deviation divided by their mean is at most this value.
 * For people it is above 0.5.
 */
const MAX_VARIATION = 0.25;

/**
 * A walk (Shape.isWalk) is too fast when it takes less than this time for each document. A person cannot type or choose
 * addresses so fast for long.
 */
const HASTY_MS = 3_000;

/**
 * On a walk, at most one document in this many can repeat. Repeats are allowed, because in the small table some new
 * documents seem to repeat.
 */
const DOCUMENTS_FOR_A_REPEAT = 20;

/**
 * The table has 16 words of 32 bits, and each document sets two bits. Of 80 different documents, about two seem to
 * repeat.
 */
const WORDS = 16;
const MAX_PATH = 256;

/** The signs of a program in one stretch of a session. */
export interface Shape {
  /** Whether the session loaded parts of pages, or data. */
  readonly hasParts: boolean;
  /**
   * Whether documents came at regular intervals, or faster than a person opens them: more than MAX_OF_BURST in one burst,
   * or on a walk one document every three seconds.
   */
  readonly isRegular: boolean;
  /** Whether hardly any documents repeat, and most were reached without a link. */
  readonly isWalk: boolean;
}

/** The number of parts of pages and of answers with data that a session loaded. */
export interface LoadedParts {
  count: number;
}

/**
 * Measures how one session moves through a site: which documents it loads, when, and whether it loads parts. It judges
 * one stretch of documents at a time. The first stretch has ten documents. Each time Guard challenges the visitor
 * because of the session shape, the next stretch is twice as long.
 */
export class SessionShape {
  /** Whether SessionLimits has counted this session. It counts each session only once. */
  wasCounted = false;
  /** The start of the pass in which the session moved like a program. Until the next pass, each page is challenged. */
  #programPassedAt: number | undefined;
  #stretch: number = firstDocuments;
  readonly #parts: LoadedParts;
  #partsAtStart: number;
  #documents = 0;
  #repeats = 0;
  #links = 0;
  /** The number of bursts. A single document is a burst too. */
  #bursts = 0;
  /** The start of the last burst, and the number of its documents. */
  #burstAt = 0;
  #burstDocuments = 0;
  /** The start of the stretch. */
  #startedAt = 0;
  /** Whether there was a pause since the last counted document. */
  #hadPause = false;
  #lastAt = 0;
  #lastHash = 0;
  /** The sum of the times between bursts in seconds, and the sum of the squares of these times. */
  #sum = 0;
  #squares = 0;
  readonly #seenBits: number[] = new Array<number>(WORDS).fill(0);

  constructor(parts: LoadedParts) {
    this.#parts = parts;
    this.#partsAtStart = parts.count;
  }

  /**
   * Whether the session moved like a program in this pass. `passedAt` is the time of the pass, in epoch milliseconds.
   */
  isProgram(passedAt: number): boolean {
    return this.#programPassedAt === passedAt;
  }

  /** Records that the session moved like a program in this pass. The next stretch is twice as long. */
  noteProgram(passedAt: number): void {
    this.#programPassedAt = passedAt;
    this.#stretch = Math.min(this.#stretch * 2, maxDocuments);
  }

  /** Adds one document. At the end of a stretch, returns its shape and starts the next stretch. */
  add(facts: Pick<Facts, 'url' | 'headers' | 'referrer'>, nowMs: number): Shape | undefined {
    const hash = hashOf(facts.url.path, facts.url.query);
    // A reload is ignored, because a page that reloads itself has regular intervals.
    if (hash === this.#lastHash) return undefined;
    this.#lastHash = hash;
    // A document that repeats also ends a burst. Otherwise the next document would join an earlier burst.
    if (nowMs - this.#lastAt >= BURST_GAP_MS) this.#hadPause = true;
    this.#lastAt = nowMs;
    if (this.#wasSeen(hash)) {
      this.#repeats += 1;
      return undefined;
    }
    if (this.#documents === 0) this.#startedAt = nowMs;
    this.#documents += 1;
    if (cameByLink(facts)) this.#links += 1;
    const isFast = this.#addTime(nowMs);
    if (this.#documents < this.#stretch) return undefined;
    const isWalk = this.#isWalk();
    const isHasty = isWalk && nowMs - this.#startedAt <= this.#documents * HASTY_MS;
    const isEnough = this.#bursts >= this.#stretch || (isHasty && this.#documents > MAX_OF_BURST);
    if (!isEnough && !isFast) return undefined;
    const shape = {
      hasParts: this.#parts.count > this.#partsAtStart,
      isRegular: isFast || isHasty || this.#isEven(),
      isWalk,
    };
    this.#startStretch();
    return shape;
  }

  /** Adds the time of a document. True when more documents came together than a person opens as tabs. */
  #addTime(nowMs: number): boolean {
    if (this.#bursts > 0 && !this.#hadPause) {
      this.#burstDocuments += 1;
      return this.#burstDocuments > MAX_OF_BURST;
    }
    if (this.#bursts > 0) {
      const seconds = (nowMs - this.#burstAt) / 1000;
      this.#sum += seconds;
      this.#squares += seconds * seconds;
    }
    this.#bursts += 1;
    this.#hadPause = false;
    this.#burstAt = nowMs;
    this.#burstDocuments = 1;
    return false;
  }

  #isWalk(): boolean {
    const isNew = this.#repeats * DOCUMENTS_FOR_A_REPEAT <= this.#documents;
    return isNew && this.#links * 2 < this.#documents;
  }

  #isEven(): boolean {
    const intervals = this.#bursts - 1;
    const mean = this.#sum / intervals;
    const variance = this.#squares / intervals - mean * mean;
    return variance <= (MAX_VARIATION * mean) ** 2;
  }

  /** Adds a document to the table. True when the document seems to repeat. */
  #wasSeen(hash: number): boolean {
    const isFirstKnown = this.#setBit(hash);
    const isSecondKnown = this.#setBit(hash >>> 16);
    return isFirstKnown && isSecondKnown;
  }

  /** Sets one bit of the table. True when it was already set. */
  #setBit(bits: number): boolean {
    const word = (bits >>> 5) % WORDS;
    const bit = 1 << (bits & 31);
    const bitsBefore = this.#seenBits[word] ?? 0;
    this.#seenBits[word] = bitsBefore | bit;
    return (bitsBefore & bit) !== 0;
  }

  #startStretch(): void {
    this.#partsAtStart = this.#parts.count;
    this.#documents = 0;
    this.#repeats = 0;
    this.#links = 0;
    this.#bursts = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#seenBits.fill(0);
  }
}

/** Whether the request shows that a link, on this site or on another site, led to the document. */
function cameByLink({ headers, referrer }: Pick<Facts, 'headers' | 'referrer'>): boolean {
  const fetchSite = headers['sec-fetch-site'];
  return fetchSite === undefined ? referrer !== '' : fetchSite !== 'none';
}

/**
 * FNV-1a of the first characters of path and query. The bits are mixed, so that paths with different ends differ in all
 * bits.
 */
function hashOf(path: string, query: string): number {
  const hash = continueHash(continueHash(0x811c9dc5, path), query);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

function continueHash(startHash: number, text: string): number {
  let hash = startHash;
  const end = Math.min(text.length, MAX_PATH);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
