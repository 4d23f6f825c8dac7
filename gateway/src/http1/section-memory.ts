import { type HeaderSection, readHeaderSection } from './header-section.ts';

/** Each has a place for one section. */
const PLACES = 2048;
/** Longer sections are hardly sent twice. */
const MAX_LENGTH = 4096;
/** One character in so many tells sections apart at first; the text has the last word. */
const SAMPLED = 8;

interface Remembered extends HeaderSection {
  isUsed: boolean;
}

/**
 * Reads header sections, and those that it sees again it reads only once: browsers send the same one
 * for every image of a page. What is new each time, as in a flood, leaves a number behind and no more.
 */
export class SectionMemory {
  readonly #maxFields: number;
  readonly #places = new Array<Remembered | undefined>(PLACES);
  /** The sample that was seen last, of those that have this place. */
  readonly #seen = new Uint32Array(PLACES);

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  /** The section that `request`, which are these bytes as latin1, has behind `at`; or undefined, see readHeaderSection. */
  read(bytes: Buffer, request: string, at: number): HeaderSection | undefined {
    const sample = sampleOf(request, at);
    const place = sample % PLACES;
    const known = this.#places[place];
    const text = request.slice(at);
    if (known?.text === text) {
      known.isUsed = true;
      return known;
    }
    const section = readHeaderSection(bytes, at, text, this.#maxFields);
    if (section === undefined) return undefined;
    const isAgain = this.#seen[place] === sample && text.length <= MAX_LENGTH;
    this.#seen[place] = sample;
    if (!isAgain) return { ...section, notes: undefined };
    // Of the text a copy, because a slice would keep the target too.
    const copy = bytes.toString('latin1', at);
    const remembered = { ...section, text: copy, notes: {}, isUsed: true };
    this.#places[place] = remembered;
    return remembered;
  }

  /** Forgets everything. */
  clear(): void {
    this.#places.fill(undefined);
  }

  /** Forgets what was not used since this was called last: credentials are among it. */
  forgetUnused(): void {
    for (const [place, section] of this.#places.entries()) {
      if (section?.isUsed === true) section.isUsed = false;
      else this.#places[place] = undefined;
    }
  }
}

/** A number of 32 bits (FNV-1a over a part of the characters). Who makes two alike slows nobody but themselves. */
function sampleOf(text: string, from: number): number {
  let hash = 0x811c9dc5 ^ (text.length - from);
  for (let at = from; at < text.length; at += SAMPLED) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
