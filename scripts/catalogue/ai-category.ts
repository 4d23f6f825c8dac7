import type { CrawlerCategory } from '../../config/src/catalogue/crawler-file.ts';

/** The AI list describes an agent in free text. The first line that matches gives the category. */
const BY_FUNCTION: readonly (readonly [RegExp, CrawlerCategory])[] = [
  [/\bagents?\b(?!.*undocumented)/i, 'AI Agent'],
  [
    /\bassistants?\b|\buser[- ](?:queries|prompts|initiated)|\bchatbot\b|\bcompanion\b/i,
    'AI Assistant',
  ],
  [/\bsearch\b/i, 'AI Search'],
  [
    /\btrain|\bmachine learning\b|\bLLMs?\b|\bmodels?\b|\bdata scrapers?\b|\bdata providers?\b/i,
    'AI Training',
  ],
  [/\bscrap|\bdata\b/i, 'Scraper'],
];

/** Returns the catalogue category of an AI agent that has no entry in crawlers.txt. */
export function aiCategory(purpose: string): CrawlerCategory {
  if (/undocumented/i.test(purpose)) return 'Other';
  return BY_FUNCTION.find(([pattern]) => pattern.test(purpose))?.[1] ?? 'Other';
}
