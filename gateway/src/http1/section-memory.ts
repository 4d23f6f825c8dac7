import { type HeaderSection, readHeaderSection } from './header-section.ts';

/** Each has room for one section. */
const PLACES = 2048;
/** Longer sections are hardly sent twice. */
const MAX_LENGTH = 4096;
/** One character in so many tells sections apart at first; the text has the last word. */
const SAMPLED = 8;
const NOTHING = 0;

/**
 * Reads header sections, and those that it sees again it reads only once: browsers send the same one
 * for every image of a page. What is new each time, as in a flood, leaves a number behind and no more.
 */
export class SectionMemory {
  readonly #maxFields: number;
  readonly #sections = new Array<HeaderSection | undefined>(PLACES);
  /** The samples of the sections that are remembered. */
  readonly #samples = new Uint32Array(PLACES);
  /** The sample that was seen last, of those that have this place. */
  readonly #seen = new Uint32Array(PLACES);
  readonly #isUsed = new Uint8Array(PLACES);

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  /**
   * The section that stands behind `at` in `request`, which is these bytes as latin1; undefined where
   * readHeaderSection has none.
   */
  read(bytes: Buffer, request: string, at: number): HeaderSection | undefined {
    const text = request.slice(at);
    const sample = sampleOf(text);
    const place = sample % PLACES;
    const known = this.#sections[place];
    if (known?.text === text) {
      this.#isUsed[place] = 1;
      return known;
    }
    const isAgain = this.#seen[place] === sample && text.length <= MAX_LENGTH;
    this.#seen[place] = sample;
    // Of sections that look alike, such as those that count their requests, the first keeps the place.
    if (!isAgain || this.#samples[place] === sample) {
      return readHeaderSection(bytes, at, text, this.#maxFields);
    }
    // A copy of the text, because a slice would keep the target too.
    const own = bytes.toString('latin1', at);
    const section = readHeaderSection(bytes, at, own, this.#maxFields, {});
    this.#sections[place] = section;
    this.#samples[place] = section === undefined ? NOTHING : sample;
    this.#isUsed[place] = 1;
    return section;
  }

  /** Forgets everything. */
  clear(): void {
    this.#sections.fill(undefined);
    this.#samples.fill(NOTHING);
  }

  /** Forgets what was not used since this was called last: credentials are among it. */
  forgetUnused(): void {
    for (let place = 0; place < PLACES; place++) {
      if (this.#isUsed[place] === 1) continue;
      this.#sections[place] = undefined;
      this.#samples[place] = NOTHING;
    }
    this.#isUsed.fill(0);
  }
}

/**
 * A number of 32 bits (FNV-1a over a part of the characters) that is not NOTHING. Who makes two alike
 * slows nobody but themselves.
 */
function sampleOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let at = 0; at < text.length; at += SAMPLED) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0 || 1;
}
