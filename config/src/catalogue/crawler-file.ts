import { z } from 'zod';

/**
 * A file of config/data/crawlers: the crawlers of one operator that use the same addresses. An operator with several
 * published lists has several files.
 */

/** Contract 2.4: the `rsl_category` for each readable `category`. */
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
  /** On the wire a category can be any string. This catalogue uses the categories of contract 2.4. */
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
    /** True when the list is complete: then a visitor that claims the name from another address is an impersonator. */
    authoritative: z.boolean(),
    source_url: z.url(),
    /**
     * The machine-readable lists, joined together. Missing when the operator publishes the addresses only on pages for
     * people.
     */
    refresh: z.array(z.url()).min(1).optional(),
    date: z.iso.date(),
    v4: z.array(z.string()),
    v6: z.array(z.string()),
  }),
]);

export const CrawlerFile = z.strictObject({
  operator: z.string().min(1),
  note: z.string().optional(),
  crawlers: z.array(Crawler).min(1),
  ranges: Ranges,
  /** Domains of the host names of the operator's addresses. Guard checks these names by FCrDNS. */
  reverse_dns: z.array(z.string()).optional(),
});
export type CrawlerFile = z.infer<typeof CrawlerFile>;
