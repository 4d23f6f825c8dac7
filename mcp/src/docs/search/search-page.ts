import { MCP } from '@guard/config/contract/limits';
import { escapeHtml } from '../render/inline-html.ts';
import type { Section } from '../pages/page.ts';
import { plainText } from '../render/plain-text.ts';

/**
 * Maximum length of a search in UTF-16 code units. A longer search is refused and not cut, because a part of it would
 * find other pages.
 */
export const MAX_SEARCH_LENGTH = 200;

/** Maximum number of sections in one result. Assistants have the same limit (contract 8). */
const MAX_HITS = MCP.searchLimit.max;

const EXCERPT_CHARS = 220;

type SearchOutcome =
  | { readonly kind: 'nothing_asked' }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'too_many'; readonly waitMs: number }
  | { readonly kind: 'found'; readonly query: string; readonly hits: readonly Section[] };

/** Searches for the parameter `q` of the query string, if the reader's budget is not spent. */
export function runSearch(
  queryString: string,
  takeSearch: () => number,
  search: (query: string, limit: number) => readonly Section[],
): SearchOutcome {
  const query = new URLSearchParams(queryString).get('q')?.trim() ?? '';
  if (query === '') return { kind: 'nothing_asked' };
  if (query.length > MAX_SEARCH_LENGTH) return { kind: 'too_long' };
  const waitMs = takeSearch();
  if (waitMs > 0) return { kind: 'too_many', waitMs };
  return { kind: 'found', query, hits: search(query, MAX_HITS) };
}

/** A search form that needs no script. Its ids allow only one form on a page. */
export function searchForm(query: string): string {
  return `<form class="search" role="search" action="/search">
<label class="unseen" for="q">Search the documentation</label>
<input id="q" name="q" type="search" value="${escapeHtml(query)}" maxlength="${MAX_SEARCH_LENGTH}" placeholder="Search" autocomplete="off" required>
<button>Search</button>
</form>`;
}

/** Returns the HTML below the heading of the page `/search`. */
export function searchHtml(outcome: SearchOutcome): string {
  switch (outcome.kind) {
    case 'nothing_asked':
      return `${searchForm('')}\n<p>You can also search for the name of a setting, block reason, metric or crawler.</p>`;
    case 'too_long':
      return `${searchForm('')}\n<p>A search has at most ${MAX_SEARCH_LENGTH} characters.</p>`;
    case 'too_many':
      return `${searchForm('')}\n<p>Too many searches came from your address. Please try again in a moment.</p>`;
    case 'found':
      return foundHtml(outcome.query, outcome.hits);
  }
}

function foundHtml(query: string, hits: readonly Section[]): string {
  const queryHtml = escapeHtml(query);
  const summary =
    hits.length === 0
      ? `<p>Nothing was found for <strong>${queryHtml}</strong>. Fewer or other words may help; <a href="/">the overview</a> lists every page.</p>`
      : `<p>${resultCount(hits.length)} for <strong>${queryHtml}</strong>, best first.</p>`;
  return `${searchForm(query)}\n${summary}\n${hitsHtml(query, hits)}`;
}

function resultCount(hits: number): string {
  if (hits === 1) return 'One result';
  return hits < MAX_HITS ? `${hits} results` : `The first ${hits} results`;
}

/** Returns a list of sections, each with the title of its page and an excerpt. */
export function hitsHtml(query: string, hits: readonly Section[]): string {
  if (hits.length === 0) return '';
  const words = matcherOf(query);
  const items = hits.map(({ page, heading, anchor, text }) => {
    const href = escapeHtml(anchor === '' ? page.path : `${page.path}#${anchor}`);
    const title = anchor === '' ? '' : ` <span class="section">${escapeHtml(heading)}</span>`;
    return `<li><a href="${href}">${escapeHtml(page.title)}${title}</a><p>${excerptHtml(bestPart(text, words), words)}</p></li>`;
  });
  return `<ol class="hits">${items.join('\n')}</ol>`;
}

/** Finds the first paragraph, table row or list item that has the most searched words. */
function bestPart(text: string, words: RegExp | undefined): string {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const parts = prose
    .split(/\n\s*\n|\n(?=[|-])/)
    .map(plainText)
    .filter((part) => part !== '');
  const countSearchedWords = (part: string) =>
    words === undefined ? 0 : new Set(part.toLowerCase().match(words)).size;
  let best = { part: parts[0] ?? '', words: 0 };
  for (const part of parts) {
    if (countSearchedWords(part) > best.words) best = { part, words: countSearchedWords(part) };
  }
  return best.part;
}

function excerptHtml(text: string, words: RegExp | undefined): string {
  const firstMatch = words === undefined ? -1 : text.search(words);
  const start = firstMatch < EXCERPT_CHARS / 2 ? 0 : text.lastIndexOf(' ', firstMatch - 60) + 1;
  const end = start + EXCERPT_CHARS;
  const excerpt = text.slice(start, end);
  const parts = words === undefined ? [excerpt] : excerpt.split(words);
  const html = parts.map((part, index) =>
    index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part),
  );
  return `${start > 0 ? '… ' : ''}${html.join('')}${end < text.length ? '…' : ''}`;
}

/**
 * Returns a pattern for the words of a query with two or more characters. Its only group is the word. Undefined when
 * the query has no such word.
 */
function matcherOf(query: string): RegExp | undefined {
  // A single letter would match inside nearly every word.
  const words = query.match(/[\p{L}\p{N}_]{2,}/gu);
  // The longest word comes first, so that `rate_limit` is marked as a whole even if `rate` is searched too.
  const longestFirst = words?.toSorted((a, b) => b.length - a.length);
  return longestFirst && new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})`, 'giu');
}
