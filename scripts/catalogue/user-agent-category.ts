import type { CrawlerCategory } from '../../config/src/catalogue/crawler-file.ts';

/** What the tags of the User-Agent list mean here; the first tag of an entry that fits decides. */
const BY_TAG: readonly (readonly [string, CrawlerCategory])[] = [
  ['search-engine', 'Search Engine'],
  ['advertising', 'Advertising'],
  ['feed-reader', 'Feed Readers'],
  ['social-preview', 'Preview'],
  ['archiver', 'Archiver'],
  ['scanner', 'Security'],
  ['academic', 'Research'],
  ['monitoring', 'Monitoring'],
];

/** `seo` is the list's bucket for whatever fits nowhere else, so the name has to say it too. */
const SEO_WORDS = /seo|serp|rank|link|audit|sitemap|keyword|backlink/i;

/**
 * Tags of software that every user can run, or that people use: their names belong into
 * config/data/user-agents, by hand.
 */
const SOFTWARE_TAGS: ReadonlySet<string> = new Set(['http-library', 'browser-automation']);

/** The catalogue category of an entry of the User-Agent list; undefined when it is no crawler. */
export function categoryOfTags(tags: readonly string[], name: string): CrawlerCategory | undefined {
  if (tags.some((tag) => SOFTWARE_TAGS.has(tag))) return undefined;
  if (tags.includes('ai-crawler')) {
    return tags.includes('search-engine') ? 'AI Search' : 'AI Training';
  }
  const category = BY_TAG.find(([tag]) => tags.includes(tag))?.[1];
  return category ?? (SEO_WORDS.test(name) ? 'SEO Tool' : 'Other');
}
