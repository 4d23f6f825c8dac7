import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Pause } from '../time/slices.ts';
import { CrawlerFile } from './crawler-file.ts';
import { type CrawlerList, crawlerListOf } from './crawler-list.ts';
import { dataPath } from './data-path.ts';
import { readRefreshedRanges } from './refreshed-ranges.ts';
import { TokenMatcher } from './token-matcher.ts';
import type { Token } from './token-matcher.ts';

/** A known crawler. `category` and `rslCategory` are the two categories of contract 2.4. */
export interface CatalogueCrawler {
  /** A UUID. It changes only when the name changes. */
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly rslCategory: string;
  /** The operator of the crawler. `Unknown` when the operator is not public. */
  readonly operator: string;
}

/**
 * The result of checking the address of a claimed crawler. `verified`: the address is in the operator's ranges.
 * `impersonator`: it is outside of them, although the operator publishes all its ranges. `unverifiable`: Guard cannot
 * find out.
 */
export type CrawlerStanding = 'verified' | 'impersonator' | 'unverifiable';

/** How to verify a crawler's claim. */
export interface CrawlerProofs {
  /** The published addresses. Undefined when the operator publishes no addresses. */
  readonly list: CrawlerList | undefined;
  /** Domains of the host names of the operator's addresses. Empty when the operator publishes no domains. */
  readonly reverseDnsDomains: readonly string[];
}

const NO_PROOFS: CrawlerProofs = { list: undefined, reverseDnsDomains: [] };

interface LoadedFile {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly file: CrawlerFile;
  readonly proofs: CrawlerProofs;
}

/** The known crawlers, found by User-Agent, and their addresses (contract 1.3). */
export class CrawlerCatalogue {
  readonly #crawlers: readonly CatalogueCrawler[];
  readonly #matcher: TokenMatcher<CatalogueCrawler>;
  readonly #proofs: ReadonlyMap<string, CrawlerProofs>;
  readonly #tokens: ReadonlyMap<string, readonly string[]>;
  /** Every published list, in the order of the files. */
  readonly lists: readonly CrawlerList[];

  private constructor(loadedFiles: readonly LoadedFile[]) {
    const crawlers: CatalogueCrawler[] = [];
    const tokens: Token<CatalogueCrawler>[] = [];
    const proofs = new Map<string, CrawlerProofs>();
    for (const { file, proofs: fileProofs } of loadedFiles) {
      for (const entry of file.crawlers) {
        const { id, name, category, rsl_category, user_agent } = entry;
        const crawler = { id, name, category, rslCategory: rsl_category, operator: file.operator };
        crawlers.push(crawler);
        proofs.set(id, fileProofs);
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
    this.lists = loadedFiles.flatMap((loadedFile) => loadedFile.proofs.list ?? []);
  }

  /**
   * Reads every .json file of a folder, by default the bundled files, which are read once. Refreshed ranges come from
   * `overlay` if that folder exists. Throws an Error that names the file when it does not have the format of
   * crawler-file.ts or refreshed-ranges.ts.
   */
  static load(folder?: string, overlay?: string): CrawlerCatalogue {
    const loadedFiles = folder === undefined ? bundledFiles() : filesOf(folder);
    return CrawlerCatalogue.#fromFiles(
      loadedFiles.map((loadedFile) => addRefreshed(loadedFile, overlay)),
    );
  }

  /** Does the same as `load` without a folder, and awaits `pause` after each bundled file. */
  static async loadInSlices(overlay: string | undefined, pause: Pause): Promise<CrawlerCatalogue> {
    const loadedFiles: LoadedFile[] = [];
    for (const bundledFile of bundledFiles()) {
      loadedFiles.push(addRefreshed(bundledFile, overlay));
      await pause();
    }
    return CrawlerCatalogue.#fromFiles(loadedFiles);
  }

  /** Without refreshed ranges, all callers share one bundled catalogue. */
  static #fromFiles(loadedFiles: readonly LoadedFile[]): CrawlerCatalogue {
    const isBundled =
      loadedFiles.length === files?.length &&
      loadedFiles.every((loadedFile, at) => loadedFile === files?.[at]);
    return isBundled
      ? (bundledCatalogue ??= new CrawlerCatalogue(loadedFiles))
      : new CrawlerCatalogue(loadedFiles);
  }

  /** When the oldest refreshable list was confirmed, in milliseconds since the epoch. Undefined without such lists. */
  get oldestListAt(): number | undefined {
    const dates = this.lists.flatMap((list) => (list.refreshUrls.length > 0 ? list.asOf : []));
    return dates.length === 0 ? undefined : Math.min(...dates);
  }

  all(): readonly CatalogueCrawler[] {
    return this.#crawlers;
  }

  /** The crawler that a User-Agent claims to be. The claim alone is no proof (contract 1.3). */
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

  tokensOf(crawler: CatalogueCrawler): readonly string[] {
    return this.#tokens.get(crawler.id) ?? [];
  }
}

/** Cached, because the bundled files do not change while the program runs and settings may be read often. */
let files: readonly LoadedFile[] | undefined;
let bundledCatalogue: CrawlerCatalogue | undefined;

function bundledFiles(): readonly LoadedFile[] {
  return (files ??= filesOf(dataPath('crawlers')));
}

function filesOf(folder: string): readonly LoadedFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((fileName) => {
    const file = readCrawlerFile(join(folder, fileName));
    const name = basename(fileName, '.json');
    const list = crawlerListOf(name, file, undefined);
    return { name, file, proofs: { list, reverseDnsDomains: file.reverse_dns ?? [] } };
  });
}

/** Returns the same object when `overlay` has no ranges for it. */
function addRefreshed(loadedFile: LoadedFile, overlay: string | undefined): LoadedFile {
  const { name, file, proofs } = loadedFile;
  const refreshedRanges =
    overlay === undefined || !file.ranges.published
      ? undefined
      : readRefreshedRanges(overlay, name);
  if (refreshedRanges === undefined) return loadedFile;
  return { ...loadedFile, proofs: { ...proofs, list: crawlerListOf(name, file, refreshedRanges) } };
}

function readCrawlerFile(path: string): CrawlerFile {
  try {
    return CrawlerFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Error(`not a crawler file: ${path}`, { cause });
  }
}
