import { sectionsOf } from './page.ts';
import type { Page, Section } from './page.ts';

/** More words than this of one query are not looked at. */
const MAX_TERMS = 32;
/** One occurrence in a heading or title says as much as this many in the text. */
const HEADING_WEIGHT = 8;
const TITLE_WEIGHT = 4;
/** Repeating a word beyond this does not make a section more relevant. */
const MAX_FREQUENCY = 5;

interface Entry {
  readonly section: Section;
  readonly weights: ReadonlyMap<string, number>;
}

/** Search by term frequency over the sections of all pages, indexed once. */
export class SearchIndex {
  readonly #entries: readonly Entry[];

  constructor(pages: readonly Page[]) {
    this.#entries = pages.flatMap(sectionsOf).map((section) => ({
      section,
      weights: weigh(section),
    }));
  }

  /** At most `limit` sections, best first: more of the query's words first, then heavier ones. */
  search(query: string, limit: number): Section[] {
    const wanted = [...new Set(terms(query))].slice(0, MAX_TERMS);
    return this.#entries
      .map(({ section, weights }) => {
        const hits = wanted.map((term) => weights.get(term) ?? 0).filter((weight) => weight > 0);
        return { section, score: hits.length * hits.reduce((sum, weight) => sum + weight, 0) };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ section }) => section);
  }
}

function weigh({ page, heading, text }: Section): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms(text)) {
    weights.set(term, Math.min((weights.get(term) ?? 0) + 1, MAX_FREQUENCY));
  }
  const add = (term: string, weight: number) =>
    weights.set(term, (weights.get(term) ?? 0) + weight);
  for (const term of new Set(terms(heading))) add(term, HEADING_WEIGHT);
  for (const term of new Set(terms(page.title))) add(term, TITLE_WEIGHT);
  return weights;
}

/** Lower-case words; an identifier such as `rate_limit` counts whole and by its parts. */
function terms(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
  );
}
