import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CrawlerFile } from '@guard/config/catalogue/crawler-file';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { HOME_IP } from '../test/kit/visitors/visitors.ts';
import type { Case } from './case.ts';

const DATA = join(import.meta.dirname, '..', 'config', 'data', 'crawlers');
/** The number of addresses that are tried for each list. */
const RANGES_PER_LIST = 5;

export interface CrawlerCases {
  /** The User-Agents of npm `crawler-user-agents`. */
  readonly samples: readonly string[];
  /** Requests of crawlers with a complete list of addresses, from a home address. */
  readonly outside: readonly Case[];
  /** Requests of crawlers with a list of addresses, from the first address of some ranges. */
  readonly fromOwnRanges: readonly Case[];
  readonly names: readonly string[];
}

export function crawlerCases(): CrawlerCases {
  const catalogue = CrawlerCatalogue.load();
  const outside: Case[] = [];
  const fromOwnRanges: Case[] = [];
  for (const { crawlers, ranges } of readFiles()) {
    if (!ranges.published) continue;
    const addresses = [...ranges.v4, ...ranges.v6.slice(0, RANGES_PER_LIST)]
      .slice(-RANGES_PER_LIST)
      .map((range) => range.split('/', 1)[0] ?? '');
    for (const { id, name, user_agent } of crawlers) {
      const userAgent = agentOf(user_agent);
      // The User-Agent can be that of a more specific crawler with the same words. The requests of that crawler are
      // made from its own entry.
      const known = catalogue.identify(userAgent);
      if (known?.id !== id) continue;
      if (ranges.authoritative) outside.push(visitOf(name, userAgent, HOME_IP));
      for (const ip of addresses) {
        if (catalogue.verify(known, ip) === 'verified')
          fromOwnRanges.push(visitOf(name, userAgent, ip));
      }
    }
  }
  return {
    samples: sampleAgents(),
    outside,
    fromOwnRanges,
    names: catalogue.all().map(({ name }) => name),
  };
}

function visitOf(name: string, userAgent: string, ip: string): Case {
  const headers = { host: 'shop.example', 'user-agent': userAgent, accept: '*/*' };
  return {
    about: `${name} from ${ip}`,
    unit: name,
    request: { url: 'https://shop.example/', ip, method: 'GET', headers },
  };
}

function agentOf(tokens: CrawlerFile['crawlers'][number]['user_agent']): string {
  const [start] = tokens.starts_with ?? [];
  const [anywhere] = tokens.contains ?? [];
  return anywhere === undefined
    ? `${start ?? ''}/1.0`
    : `Mozilla/5.0 (compatible; ${anywhere}/1.0; +https://crawler.example/)`;
}

function readFiles(): CrawlerFile[] {
  return readdirSync(DATA)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => CrawlerFile.parse(JSON.parse(readFileSync(join(DATA, file), 'utf8'))));
}

function sampleAgents(): string[] {
  // The package is a JSON file. Only the sample User-Agents of each entry are used.
  const entries = createRequire(import.meta.url)('crawler-user-agents') as readonly {
    readonly instances: readonly string[];
  }[];
  return entries.flatMap(({ instances }) => instances);
}
