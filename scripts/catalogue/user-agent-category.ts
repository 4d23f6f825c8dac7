import type { CrawlerCategory } from '../../config/src/catalogue/crawler-file.ts';

/** Categories by the tags of the User-Agent list. The first tag of an entry that is in this list gives the category. */
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

/** The list uses `seo` as its default tag, so the name must also show that the crawler is an SEO tool. */
const SEO_WORDS = /seo|serp|rank|link|audit|sitemap|keyword|backlink/i;

/** Tags of software for all users. The names of such software are added to config/data/user-agents by hand. */
const SOFTWARE_TAGS: ReadonlySet<string> = new Set(['http-library', 'browser-automation']);

/** Returns the catalogue category of an entry of the User-Agent list. Undefined when the entry is not a crawler. */
export function categoryOfTags(tags: readonly string[], name: string): CrawlerCategory | undefined {
  if (tags.some((tag) => SOFTWARE_TAGS.has(tag))) return undefined;
  if (tags.includes('ai-crawler')) {
    return tags.includes('search-engine') ? 'AI Search' : 'AI Training';
  }
  const category = BY_TAG.find(([tag]) => tags.includes(tag))?.[1];
  return category ?? (SEO_WORDS.test(name) ? 'SEO Tool' : 'Other');
}
