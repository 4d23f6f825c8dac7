import { synonymsOf } from './synonyms.ts';
import { sectionsOf } from '../pages/page.ts';
import type { Page, Section } from '../pages/page.ts';

/** Most words of a query. The rest is ignored. */
const MAX_TERMS = 32;
/** The constants of Okapi BM25: how little a repeated word adds, and how much a long text loses. */
const SATURATION = 1.2;
const LENGTH_NORM = 0.5;
/** Added when a heading or a title is exactly the query. A factor of the word's rarity. */
const HEADING_WEIGHT = 4;
const TITLE_WEIGHT = 3;
/** The weight of a synonym, compared with the searched word. */
const SYNONYM_SHARE = 0.7;

/**
 * The weight of a crawler profile, compared with a page of the guide. It applies unless the query names the crawler.
 */
const PROFILE_SHARE = 0.4;

/** All occurrences of one word. */
interface Term {
  /** The weight of the word in each section. */
  readonly postings: { readonly entry: number; readonly weight: number }[];
  /** The places with this word. All generated pages of one folder count as one place. */
  readonly places: Set<string>;
}

interface Index {
  readonly sections: readonly Section[];
  readonly terms: ReadonlyMap<string, Term>;
  /** Number of places in all sections, counted as in Term.places. */
  readonly places: number;
}

/** A ranked search over all sections. The first search builds the index, because most processes never search. */
export class SearchIndex {
  readonly #pages: readonly Page[];
  #computed: Index | undefined;

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
  }

  /** At most `limit` sections, best first. Rare words weigh more. Sections with all words come before others. */
  search(query: string, limit: number): Section[] {
    const index = (this.#computed ??= indexOf(this.#pages));
    const wanted = [...new Set(words(query))].slice(0, MAX_TERMS);
    const scores = new Map<number, { score: number; matched: number }>();
    let asked = 0;
    for (const word of wanted) {
      const { postings, rarity } = lookUp(index, word);
      asked += rarity;
      for (const [entry, weight] of postings) {
        const found = scores.get(entry) ?? { score: 0, matched: 0 };
        found.score += rarity * weight;
        found.matched += rarity;
        scores.set(entry, found);
      }
    }
    return [...scores]
      .map(([entry, { score, matched }]) => ({
        entry,
        score: ((score * matched) / asked) * weightFactorOf(index.sections[entry], wanted),
      }))
      .sort((a, b) => b.score - a.score || a.entry - b.entry)
      .slice(0, limit)
      .flatMap(({ entry }) => index.sections[entry] ?? []);
  }
}

/** Profiles outnumber the pages ten to one, and every product name is in some profile. */
function weightFactorOf(section: Section | undefined, wanted: readonly string[]): number {
  if (section?.page.path.startsWith('/crawlers/') !== true) return 1;
  return words(section.page.title).every((word) => wanted.includes(word)) ? 1 : PROFILE_SHARE;
}

/** The weight of a word and its synonyms in each section. */
function lookUp(index: Index, word: string): { postings: Map<number, number>; rarity: number } {
  const postings = new Map<number, number>();
  let places = 0;
  for (const [at, name] of [word, ...synonymsOf(word)].entries()) {
    const known = index.terms.get(name.includes('_') ? name : stem(name));
    const share = at === 0 ? 1 : SYNONYM_SHARE;
    places = Math.max(places, known?.places.size ?? 0);
    for (const { entry, weight } of known?.postings ?? []) {
      postings.set(entry, Math.max(postings.get(entry) ?? 0, weight * share));
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

function indexSections(sections: readonly Section[]): Map<string, Term> {
  const stemOf = cachedStems(stem);
  const texts = sections.map(({ text }) => terms(text, stemOf));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const averageLength = length / Math.max(sections.length, 1) || 1;
  const index = new Map<string, Term>();
  for (const [entry, section] of sections.entries()) {
    for (const [term, weight] of weigh(section, texts[entry] ?? [], averageLength, stemOf)) {
      const known = index.get(term) ?? { postings: [], places: new Set() };
      known.postings.push({ entry, weight });
      known.places.add(placeOf(section));
      index.set(term, known);
    }
  }
  return index;
}

function placeOf({ page, anchor }: Section): string {
  const folder = page.path.lastIndexOf('/');
  return folder > 0 ? page.path.slice(0, folder) : `${page.path}#${anchor}`;
}

function weigh(
  section: Section,
  text: readonly string[],
  averageSectionLength: number,
  stemOf: Stem,
) {
  const frequencies = new Map<string, number>();
  for (const term of text) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const norm = SATURATION * (1 - LENGTH_NORM + (LENGTH_NORM * text.length) / averageSectionLength);
  const weights = new Map<string, number>();
  for (const [term, frequency] of frequencies) {
    weights.set(term, (frequency * (SATURATION + 1)) / (frequency + norm));
  }
  addHeading(weights, terms(section.heading, stemOf), HEADING_WEIGHT);
  addHeading(weights, terms(section.page.title, stemOf), TITLE_WEIGHT);
  return weights;
}

/** A word adds more if it is a larger part of the heading: "monitor" is half of Dotcom-Monitor. */
function addHeading(weights: Map<string, number>, heading: string[], most: number): void {
  const distinct = new Set(heading);
  for (const word of distinct) {
    weights.set(word, (weights.get(word) ?? 0) + most / distinct.size);
  }
}

/** The stems of a text. An identifier such as `rate_limit` is indexed whole, and by its parts. */
function terms(text: string, stemOf: Stem): string[] {
  return words(text).map((word) => (word.includes('_') ? word : stemOf(word)));
}

/** The words of a text in lower case. An identifier comes first whole, then in parts. */
function words(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return found.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
  );
}

type Stem = (word: string) => string;

/** Caches the stems, because most words of a text occur many times. */
function cachedStems(stemOf: Stem): Stem {
  const known = new Map<string, string>();
  return (word) => {
    const held = known.get(word);
    if (held !== undefined) return held;
    const computed = stemOf(word);
    known.set(word, computed);
    return computed;
  };
}

/** Gives forms of an English word one stem: limits and limit, policies and policy. It need not be a correct one. */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  return word
    .replace(/(?<!s)s$/, '')
    .replace(/(?<=\p{L}{3})(?:ing|ed)$/u, '')
    .replace(/(?<=\p{L}{3})e$/u, '')
    .replace(/(?<=\p{L}{3})y$/u, 'i');
}
