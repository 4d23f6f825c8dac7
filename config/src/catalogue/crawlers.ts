import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPublicRanges } from '../net/bogons.ts';
import type { Refusals, WidthLimit } from '../net/bogons.ts';
import { PrefixSet } from '../net/prefix-set.ts';
import { CrawlerFile } from './crawler-file.ts';
import { dataPath } from './data-path.ts';
import { TokenMatcher } from './token-matcher.ts';
import type { Token } from './token-matcher.ts';

/** No operator crawls from more than this: one /12 or one /19 of IPv6. */
export const CRAWLER_WIDTH_LIMIT: WidthLimit = { v4: 12, v6: 19 };

/** A known crawler. `category` and `rslCategory` are the catalogue pair of spec 2.4. */
export interface CatalogueCrawler {
  /** UUID; stable as long as the name is. */
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly rslCategory: string;
  /** Who runs it; `Unknown` where that is not public. */
  readonly operator: string;
}

/**
 * What an address says about the claim to be a crawler: it lies in the operator's ranges; it does not,
 * and the operator publishes all of them; or nobody can tell.
 */
export type CrawlerStanding = 'verified' | 'impersonator' | 'unverifiable';

interface Origin {
  readonly ranges: PrefixSet;
  readonly authoritative: boolean;
}

/** The crawlers Guard knows, by User-Agent, and where they come from (spec 1.3). */
export class CrawlerCatalogue {
  readonly #crawlers: readonly CatalogueCrawler[];
  readonly #matcher: TokenMatcher<CatalogueCrawler>;
  /** By crawler id; absent where no ranges are published. */
  readonly #origins: ReadonlyMap<string, Origin>;
  /** Entries of the lists that were dropped at loading. */
  readonly refused: Refusals;

  private constructor(files: readonly CrawlerFile[]) {
    const crawlers: CatalogueCrawler[] = [];
    const tokens: Token<CatalogueCrawler>[] = [];
    const origins = new Map<string, Origin>();
    const refused = { malformed: 0, bogon: 0, tooWide: 0 };
    for (const file of files) {
      const read = originOf(file);
      refused.malformed += read?.refused.malformed ?? 0;
      refused.bogon += read?.refused.bogon ?? 0;
      refused.tooWide += read?.refused.tooWide ?? 0;
      for (const entry of file.crawlers) {
        const { id, name, category, rsl_category, user_agent } = entry;
        const crawler = { id, name, category, rslCategory: rsl_category, operator: file.operator };
        crawlers.push(crawler);
        if (read !== undefined) origins.set(id, read.origin);
        for (const text of user_agent.contains ?? []) {
          tokens.push({ text, atStart: false, value: crawler });
        }
        for (const text of user_agent.starts_with ?? []) {
          tokens.push({ text, atStart: true, value: crawler });
        }
      }
    }
    this.#crawlers = crawlers;
    this.#matcher = new TokenMatcher(tokens);
    this.#origins = origins;
    this.refused = refused;
  }

  /**
   * Reads every .json file of a folder, by default the bundled ones. Throws an Error that names the
   * file when one is not of the form of crawler-file.ts.
   */
  static load(folder: string = dataPath('crawlers')): CrawlerCatalogue {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return new CrawlerCatalogue(
      names.toSorted().map((name) => readCrawlerFile(join(folder, name))),
    );
  }

  get size(): number {
    return this.#crawlers.length;
  }

  all(): readonly CatalogueCrawler[] {
    return this.#crawlers;
  }

  /** The crawler a User-Agent claims to be. Identification alone proves nothing (spec 1.3). */
  identify(userAgent: string): CatalogueCrawler | undefined {
    return this.#matcher.find(userAgent)?.value;
  }

  /** `ip` as `parseIp` spells it. */
  verify(crawler: CatalogueCrawler, ip: string): CrawlerStanding {
    const origin = this.#origins.get(crawler.id);
    if (origin === undefined) return 'unverifiable';
    if (origin.ranges.has(ip)) return 'verified';
    return origin.authoritative ? 'impersonator' : 'unverifiable';
  }
}

function readCrawlerFile(path: string): CrawlerFile {
  try {
    return CrawlerFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`not a crawler file: ${path}`, { cause });
  }
}

function originOf(file: CrawlerFile): { origin: Origin; refused: Refusals } | undefined {
  if (!file.ranges.published) return undefined;
  const { v4, v6, authoritative } = file.ranges;
  const { ranges, refused } = readPublicRanges([...v4, ...v6], CRAWLER_WIDTH_LIMIT);
  const set = PrefixSet.fromRanges(ranges);
  // A list of which nothing is left accuses nobody.
  return { origin: { ranges: set, authoritative: authoritative && set.size > 0 }, refused };
}
