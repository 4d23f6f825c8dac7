import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Refusals } from '../net/bogons.ts';
import { CrawlerFile } from './crawler-file.ts';
import { type CrawlerList, crawlerListOf } from './crawler-list.ts';
import { dataPath } from './data-path.ts';
import { readRefreshedRanges } from './refreshed-ranges.ts';
import { TokenMatcher } from './token-matcher.ts';
import type { Token } from './token-matcher.ts';

/** A known crawler. `category` and `rslCategory` are the catalogue pair of contract 2.4. */
export interface CatalogueCrawler {
  /** A UUID. It is stable as long as the name is. */
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly rslCategory: string;
  /** Its operator. `Unknown` when it is not public. */
  readonly operator: string;
}

/**
 * What the address tells about a claimed crawler: it is in the operator's ranges, it is outside although the
 * operator publishes all ranges, or neither is known.
 */
export type CrawlerStanding = 'verified' | 'impersonator' | 'unverifiable';

/** How to verify a crawler's claim. */
export interface CrawlerProofs {
  /** Undefined when the operator publishes no addresses. */
  readonly list: CrawlerList | undefined;
  /** Domains of the host names of the operator's addresses. Empty when none are published. */
  readonly hostNames: readonly string[];
}

const NO_PROOFS: CrawlerProofs = { list: undefined, hostNames: [] };

interface Loaded {
  readonly file: CrawlerFile;
  readonly proofs: CrawlerProofs;
}

/** The known crawlers, found by User-Agent, and their addresses (contract 1.3). */
export class CrawlerCatalogue {
  readonly #crawlers: readonly CatalogueCrawler[];
  readonly #matcher: TokenMatcher<CatalogueCrawler>;
  /** By crawler id. */
  readonly #proofs: ReadonlyMap<string, CrawlerProofs>;
  readonly #tokens: ReadonlyMap<string, readonly string[]>;
  /** Every published list, in the order of the files. */
  readonly lists: readonly CrawlerList[];

  private constructor(loaded: readonly Loaded[]) {
    const crawlers: CatalogueCrawler[] = [];
    const tokens: Token<CatalogueCrawler>[] = [];
    const proofs = new Map<string, CrawlerProofs>();
    for (const { file, proofs: ofFile } of loaded) {
      for (const entry of file.crawlers) {
        const { id, name, category, rsl_category, user_agent } = entry;
        const crawler = { id, name, category, rslCategory: rsl_category, operator: file.operator };
        crawlers.push(crawler);
        proofs.set(id, ofFile);
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
    this.#proofs = proofs;
    this.#tokens = new Map(
      [...Map.groupBy(tokens, ({ value }) => value.id)].map(([id, group]) => [
        id,
        group.map(({ text }) => text),
      ]),
    );
    this.lists = loaded.flatMap((one) => one.proofs.list ?? []);
  }

  /**
   * Reads every .json file of a folder, by default the bundled ones. Refreshed ranges come from `overlay` if that
   * folder exists. Throws an Error that names the file when it does not have the format of crawler-file.ts or
   * refreshed-ranges.ts.
   */
  static load(folder: string = dataPath('crawlers'), overlay?: string): CrawlerCatalogue {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return new CrawlerCatalogue(names.toSorted().map((name) => load(join(folder, name), overlay)));
  }

  get size(): number {
    return this.#crawlers.length;
  }

  /** Counts of entries that were dropped at loading. */
  get refused(): Refusals {
    const sum = { malformed: 0, bogon: 0, tooWide: 0 };
    for (const { refused } of this.lists) {
      sum.malformed += refused.malformed;
      sum.bogon += refused.bogon;
      sum.tooWide += refused.tooWide;
    }
    return sum;
  }

  /** When the oldest refreshable list was confirmed, in milliseconds since the epoch. Undefined without such lists. */
  get oldestListAt(): number | undefined {
    const dates = this.lists.flatMap((list) => (list.refreshUrls.length > 0 ? list.asOf : []));
    return dates.length === 0 ? undefined : Math.min(...dates);
  }

  all(): readonly CatalogueCrawler[] {
    return this.#crawlers;
  }

  /** The crawler that a User-Agent claims to be. The claim alone proves nothing (contract 1.3). */
  identify(userAgent: string): CatalogueCrawler | undefined {
    return this.#matcher.find(userAgent)?.value;
  }

  /** `ip` is spelled as `parseIp` returns it. */
  verify(crawler: CatalogueCrawler, ip: string): CrawlerStanding {
    const list = this.proofsOf(crawler).list;
    if (list === undefined) return 'unverifiable';
    if (list.ranges.has(ip)) return 'verified';
    return list.authoritative ? 'impersonator' : 'unverifiable';
  }

  proofsOf(crawler: CatalogueCrawler): CrawlerProofs {
    return this.#proofs.get(crawler.id) ?? NO_PROOFS;
  }

  /** The User-Agent tokens of a crawler. */
  tokensOf(crawler: CatalogueCrawler): readonly string[] {
    return this.#tokens.get(crawler.id) ?? [];
  }
}

function load(path: string, overlay: string | undefined): Loaded {
  const file = readCrawlerFile(path);
  const name = basename(path, '.json');
  const refreshed =
    overlay === undefined || !file.ranges.published
      ? undefined
      : readRefreshedRanges(overlay, name);
  const list = crawlerListOf(name, file, refreshed);
  return { file, proofs: { list, hostNames: file.reverse_dns ?? [] } };
}

function readCrawlerFile(path: string): CrawlerFile {
  try {
    return CrawlerFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`not a crawler file: ${path}`, { cause });
  }
}
