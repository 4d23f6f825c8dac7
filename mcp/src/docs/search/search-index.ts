import { synonymsOf } from './synonyms.ts';
import { sectionsOf } from '../pages/page.ts';
import type { Page, Section } from '../pages/page.ts';

/** Maximum number of words of a query. Further words are ignored. */
const MAX_TERMS = 32;
/**
 * The constants of Okapi BM25: SATURATION limits the weight of a repeated word, and LENGTH_NORM lowers the weight of
 * words in long texts.
 */
const SATURATION = 1.2;
const LENGTH_NORM = 0.5;
/**
 * The weights that words of a heading or a title get in addition, divided by the number of distinct words in it. Each
 * weight is multiplied by the word's rarity.
 */
const HEADING_WEIGHT = 4;
const TITLE_WEIGHT = 3;
/** The weight of a synonym, as a share of the weight of the searched word. */
const SYNONYM_SHARE = 0.7;

/**
 * The weight of a crawler profile, as a share of the weight of a page of the guide. When the query names the crawler,
 * the profile has full weight.
 */
const PROFILE_SHARE = 0.4;

interface Occurrences {
  readonly postings: { readonly sectionIndex: number; readonly weight: number }[];
  /** The places with this word. A place is a section, but all generated pages of a folder together are one place. */
  readonly places: Set<string>;
}

interface Index {
  readonly sections: readonly Section[];
  readonly terms: ReadonlyMap<string, Occurrences>;
  /** The number of all places. Occurrences.places says what a place is. */
  readonly places: number;
}

/** A ranked search over all sections. The first search builds the index, because most processes never search. */
export class SearchIndex {
  readonly #pages: readonly Page[];
  #index: Index | undefined;

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
  }

  /**
   * Returns at most `limit` sections, the best first. A rare word has more weight. A section with all words usually
   * comes before sections with some of them.
   */
  search(query: string, limit: number): Section[] {
    const index = (this.#index ??= indexOf(this.#pages));
    const searchedWords = [...new Set(wordsOf(query))].slice(0, MAX_TERMS);
    const scores = new Map<number, { score: number; matched: number }>();
    let totalRarity = 0;
    for (const word of searchedWords) {
      const { postings, rarity } = lookUpWord(index, word);
      totalRarity += rarity;
      for (const [sectionIndex, weight] of postings) {
        const sectionScore = scores.get(sectionIndex) ?? { score: 0, matched: 0 };
        sectionScore.score += rarity * weight;
        sectionScore.matched += rarity;
        scores.set(sectionIndex, sectionScore);
      }
    }
    return [...scores]
      .map(([sectionIndex, { score, matched }]) => {
        const factor = weightFactorOf(index.sections[sectionIndex], searchedWords);
        return { sectionIndex, score: ((score * matched) / totalRarity) * factor };
      })
      .sort((a, b) => b.score - a.score || a.sectionIndex - b.sectionIndex)
      .slice(0, limit)
      .flatMap(({ sectionIndex }) => index.sections[sectionIndex] ?? []);
  }
}

/** There are ten times as many profiles as pages, and every product name is in some profile. */
function weightFactorOf(section: Section | undefined, searchedWords: readonly string[]): number {
  if (section?.page.path.startsWith('/crawlers/') !== true) return 1;
  return wordsOf(section.page.title).every((word) => searchedWords.includes(word))
    ? 1
    : PROFILE_SHARE;
}

/** Returns the weight of a word and its synonyms in each section. */
function lookUpWord(index: Index, word: string): { postings: Map<number, number>; rarity: number } {
  const postings = new Map<number, number>();
  let places = 0;
  for (const [position, candidate] of [word, ...synonymsOf(word)].entries()) {
    const occurrences = index.terms.get(candidate.includes('_') ? candidate : stem(candidate));
    const share = position === 0 ? 1 : SYNONYM_SHARE;
    places = Math.max(places, occurrences?.places.size ?? 0);
    for (const { sectionIndex, weight } of occurrences?.postings ?? []) {
      postings.set(sectionIndex, Math.max(postings.get(sectionIndex) ?? 0, weight * share));
    }
  }
  // Rarity is the inverse document frequency. It is never negative.
  return { postings, rarity: Math.log(1 + (index.places - places + 0.5) / (places + 0.5)) };
}

function indexOf(pages: readonly Page[]): Index {
  const sections = pages.flatMap(sectionsOf);
  const places = new Set(sections.map(placeOf)).size;
  return { sections, terms: indexSections(sections), places };
}

function indexSections(sections: readonly Section[]): Map<string, Occurrences> {
  const stemOf = cacheStems(stem);
  const texts = sections.map(({ text }) => termsOf(text, stemOf));
  const length = texts.reduce((sum, sectionTerms) => sum + sectionTerms.length, 0);
  const averageLength = length / Math.max(sections.length, 1) || 1;
  const index = new Map<string, Occurrences>();
  for (const [sectionIndex, section] of sections.entries()) {
    const weights = weighTerms(section, texts[sectionIndex] ?? [], averageLength, stemOf);
    for (const [term, weight] of weights) {
      const occurrences = index.get(term) ?? { postings: [], places: new Set() };
      occurrences.postings.push({ sectionIndex, weight });
      occurrences.places.add(placeOf(section));
      index.set(term, occurrences);
    }
  }
  return index;
}

function placeOf({ page, anchor }: Section): string {
  const folder = page.path.lastIndexOf('/');
  return folder > 0 ? page.path.slice(0, folder) : `${page.path}#${anchor}`;
}

function weighTerms(
  section: Section,
  sectionTerms: readonly string[],
  averageSectionLength: number,
  stemOf: Stem,
) {
  const frequencies = new Map<string, number>();
  for (const term of sectionTerms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const norm =
    SATURATION * (1 - LENGTH_NORM + (LENGTH_NORM * sectionTerms.length) / averageSectionLength);
  const weights = new Map<string, number>();
  for (const [term, frequency] of frequencies) {
    weights.set(term, (frequency * (SATURATION + 1)) / (frequency + norm));
  }
  addHeading(weights, termsOf(section.heading, stemOf), HEADING_WEIGHT);
  addHeading(weights, termsOf(section.page.title, stemOf), TITLE_WEIGHT);
  return weights;
}

/** A word gets more weight if it is a larger part of the heading. For example, "monitor" is half of Dotcom-Monitor. */
function addHeading(weights: Map<string, number>, heading: string[], maxWeight: number): void {
  const distinct = new Set(heading);
  for (const word of distinct) {
    weights.set(word, (weights.get(word) ?? 0) + maxWeight / distinct.size);
  }
}

/** The stems of a text. An identifier such as `rate_limit` is indexed whole, and by its parts. */
function termsOf(text: string, stemOf: Stem): string[] {
  return wordsOf(text).map((word) => (word.includes('_') ? word : stemOf(word)));
}

/** The words of a text in lower case. An identifier comes first as a whole, then in parts. */
function wordsOf(text: string): string[] {
  const matches = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return matches.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
  );
}

type Stem = (word: string) => string;

/** Caches the stems, because most words of a text occur many times. */
function cacheStems(stemOf: Stem): Stem {
  const stemsByWord = new Map<string, string>();
  return (word) => {
    const cachedStem = stemsByWord.get(word);
    if (cachedStem !== undefined) return cachedStem;
    const newStem = stemOf(word);
    stemsByWord.set(word, newStem);
    return newStem;
  };
}

/**
 * Gives forms of an English word one stem: limits and limit, policies and policy. The stem does not have to be a
 * correct word.
 */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  return word
    .replace(/(?<!s)s$/, '')
    .replace(/(?<=\p{L}{3})(?:ing|ed)$/u, '')
    .replace(/(?<=\p{L}{3})e$/u, '')
    .replace(/(?<=\p{L}{3})y$/u, 'i');
}
