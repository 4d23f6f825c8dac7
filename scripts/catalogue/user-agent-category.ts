import type { CrawlerCategory } from '../../config/src/catalogue/crawler-file.ts';

/** Categories by the tags of the User-Agent list. The first matching tag of an entry decides. */
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

/** The list uses `seo` as its default tag, so the name must also show that it is an SEO tool. */
const SEO_WORDS = /seo|serp|rank|link|audit|sitemap|keyword|backlink/i;

/**
 * Tags of software for all users. Such names are added to config/data/user-agents by hand.
 */
const SOFTWARE_TAGS: ReadonlySet<string> = new Set(['http-library', 'browser-automation']);

/** The catalogue category of an entry of the User-Agent list. Undefined when it is not a crawler. */
export function categoryOfTags(tags: readonly string[], name: string): CrawlerCategory | undefined {
  if (tags.some((tag) => SOFTWARE_TAGS.has(tag))) return undefined;
  if (tags.includes('ai-crawler')) {
    return tags.includes('search-engine') ? 'AI Search' : 'AI Training';
  }
  const category = BY_TAG.find(([tag]) => tags.includes(tag))?.[1];
  return category ?? (SEO_WORDS.test(name) ? 'SEO Tool' : 'Other');
}
