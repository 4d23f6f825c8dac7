import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CRAWLER_WIDTH_LIMIT } from '../../config/src/catalogue/crawler-list.ts';
import { readPublicRanges } from '../../config/src/net/bogons.ts';
import { cidrsOf, spaceOf } from './intervals.ts';
import { SOURCES } from './sources.ts';
import type { CrawlerSource } from './sources.ts';

const Ipverse = z.object({
  services: z.record(
    z.string(),
    z.object({ ipv4: z.array(z.string()), ipv6: z.array(z.string()) }),
  ),
});
const ByName = z.record(z.string(), z.array(z.string()));
const Crowdsec = z.object({ name: z.string(), ranges: z.array(z.string()).default([]) });

/** The content of origins.json: the published lists of crawlers. */
const Origins = z.strictObject({
  published: z.array(
    z.strictObject({
      file: z.string(),
      operator: z.string(),
      note: z.string().optional(),
      /** `source:name of the list`. If there are several lists, they are joined. */
      lists: z.array(z.string()).min(1),
      authoritative: z.boolean(),
      source_url: z.url(),
      /** The URLs of the operator's lists in a form for programs. Absent if there are only lists for people. */
      refresh: z.array(z.url()).optional(),
      reverse_dns: z.array(z.string()).optional(),
      crawlers: z.array(z.string()).min(1),
    }),
  ),
  /** The lists, by operator. */
  reverse_dns_only: z.record(z.string(), z.array(z.string())),
});
export type Origins = z.infer<typeof Origins>;

export function readOrigins(): Origins {
  return Origins.parse(readJson(join(import.meta.dirname, 'origins.json')));
}

/** Every list of the source folder. The key is `source:name`, and the value is the entries. */
export function readRangeLists(folder: string): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>();
  const put = (source: CrawlerSource, name: string, entries: readonly string[]): void => {
    lists.set(`${source}:${name}`, entries);
  };
  for (const source of ['ipverseCrawlers', 'ipverseMonitoring'] as const) {
    const { services } = Ipverse.parse(readJson(join(folder, SOURCES[source].file)));
    for (const [name, { ipv4, ipv6 }] of Object.entries(services)) {
      put(source, name, [...ipv4, ...ipv6]);
    }
  }
  for (const source of ['sefinek', 'hexydec'] as const) {
    const rangesByName = ByName.parse(readJson(join(folder, SOURCES[source].file)));
    for (const [name, entries] of Object.entries(rangesByName)) put(source, name, entries);
  }
  const crowdsec = join(folder, SOURCES.crowdsec.file);
  for (const file of readdirSync(crowdsec)) {
    // The first line of each list is a comment.
    const text = readFileSync(join(crowdsec, file), 'utf8').replace(/^#.*$/gm, '');
    const { name, ranges } = Crowdsec.parse(JSON.parse(text));
    put('crowdsec', name, ranges);
  }
  return lists;
}

/** Returns the cleaned and merged ranges of several lists, and the earliest day of these lists. */
export function rangesOf(
  names: readonly string[],
  lists: ReadonlyMap<string, readonly string[]>,
): { readonly date: string; readonly v4: string[]; readonly v6: string[] } {
  const entries = names.flatMap((name) => {
    const list = lists.get(name);
    if (list === undefined) throw new Error(`origins.json: there is no list ${name}`);
    return list;
  });
  const { ranges } = readPublicRanges(entries, CRAWLER_WIDTH_LIMIT);
  return { date: dateOf(names[0] ?? ''), ...cidrsOf(spaceOf(ranges), CRAWLER_WIDTH_LIMIT) };
}

function dateOf(name: string): string {
  const source = Object.entries(SOURCES).find(([key]) => name.startsWith(`${key}:`));
  if (source === undefined) throw new Error(`origins.json: there is no source of ${name}`);
  return source[1].date;
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
