import { z } from 'zod';

/**
 * A file of config/data/crawlers: the crawlers of one operator that come from the same addresses.
 * An operator with several published lists has several files.
 */

/** Contract 2.4: what goes out as `rsl_category` for each human-readable `category`. */
export const RSL_CATEGORIES = {
  'AI Agent': 'ai-all',
  'AI Assistant': 'ai-input',
  'AI Search': 'ai-input',
  'AI Training': 'ai-train',
  'Search Engine': 'search',
  Accessibility: 'all',
  Advertising: 'all',
  Aggregator: 'all',
  Archiver: 'all',
  'Feed Readers': 'all',
  Monitoring: 'all',
  Other: 'all',
  Preview: 'all',
  Research: 'all',
  Scraper: 'all',
  Security: 'all',
  'SEO Tool': 'all',
  'Social Media': 'all',
} as const;

export type CrawlerCategory = keyof typeof RSL_CATEGORIES;

const Token = z.string().min(2).max(100);

const Crawler = z.strictObject({
  /** UUIDv5 of the name: crawler-id.ts. */
  id: z.uuid({ version: 'v5' }),
  name: z.string().min(2).max(100),
  /** An open string on the wire; in this catalogue one of contract 2.4. */
  category: z.string().min(1),
  rsl_category: z.string().min(1),
  user_agent: z
    .strictObject({
      contains: z.array(Token).optional().describe('Tokens that stand anywhere.'),
      starts_with: z.array(Token).optional().describe('Tokens that count only at the beginning.'),
    })
    .refine(
      ({ contains, starts_with }) => [...(contains ?? []), ...(starts_with ?? [])].length > 0,
      'expected at least one token',
    ),
});

const Ranges = z.discriminatedUnion('published', [
  z.strictObject({ published: z.literal(false) }),
  z.strictObject({
    published: z.literal(true),
    /** The list is complete: a visitor from outside of it who claims the name lies. */
    authoritative: z.boolean(),
    source_url: z.url(),
    /** The lists in a form for programs, joined together; absent where only people can read them. */
    refresh: z.array(z.url()).min(1).optional(),
    date: z.iso.date(),
    v4: z.array(z.string()),
    v6: z.array(z.string()),
  }),
]);

export const CrawlerFile = z.strictObject({
  operator: z.string().min(1),
  /** Why the file says what it says, where that is not plain. */
  note: z.string().optional(),
  crawlers: z.array(Crawler).min(1),
  ranges: Ranges,
  /** Domains in which the operator's addresses have their names, forward-confirmed. */
  reverse_dns: z.array(z.string()).optional(),
});
export type CrawlerFile = z.infer<typeof CrawlerFile>;
