import { RSL_CATEGORIES } from './crawler-file.ts';
import { CrawlerCatalogue } from './crawlers.ts';

/**
 * The names and categories of crawlers that settings may use. They come only from the bundled catalogue, because
 * refreshed lists have only addresses, and settings cannot define crawlers.
 */

// The cast is needed, because the type of Object.keys is string[].
export const CRAWLER_CATEGORIES = Object.keys(RSL_CATEGORIES) as (keyof typeof RSL_CATEGORIES)[];

export const CRAWLER_RSL_CATEGORIES = [...new Set(Object.values(RSL_CATEGORIES))];

/** Every name of the bundled catalogue. The first call reads its files. */
export function crawlerNames(): readonly string[] {
  return namesOnce().listed;
}

/** Whether the bundled catalogue has a crawler of this name, in upper or lower case. */
export function isCrawlerName(name: string): boolean {
  return namesOnce().folded.has(name.toLowerCase());
}

interface Names {
  readonly listed: readonly string[];
  readonly folded: ReadonlySet<string>;
}

/** Cached, because the bundled files do not change while the program runs and settings may be read often. */
let names: Names | undefined;

function namesOnce(): Names {
  if (names !== undefined) return names;
  const listedCrawlers = CrawlerCatalogue.load()
    .all()
    .map(({ name }) => name);
  names = {
    listed: listedCrawlers,
    folded: new Set(listedCrawlers.map((name) => name.toLowerCase())),
  };
  return names;
}
