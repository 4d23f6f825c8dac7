import { RSL_CATEGORIES } from '../../config/src/catalogue/crawler-file.ts';
import type { CrawlerFile } from '../../config/src/catalogue/crawler-file.ts';
import { crawlerId } from '../../config/src/catalogue/testing/crawler-id.ts';
import { rangesOf } from './crawler-ranges.ts';
import type { Origins } from './crawler-ranges.ts';
import type { Seed } from './seeds.ts';

/**
 * Sorts the seeds into files: one file for each published list, and one for each operator that has crawlers outside the
 * published lists.
 */
export function crawlerFiles(
  seeds: readonly Seed[],
  rangeSources: Origins,
  rangeLists: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, CrawlerFile> {
  const unsorted = new Map(seeds.map((seed) => [seed.name, seed]));
  if (unsorted.size !== seeds.length) throw new Error('two crawlers have the same name');
  const files = new Map<string, CrawlerFile>();
  for (const source of rangeSources.published) {
    const { file, operator, note, authoritative, source_url, refresh, reverse_dns } = source;
    const crawlers = source.crawlers.map((name) => {
      const seed = unsorted.get(name);
      if (seed === undefined)
        throw new Error(
          `origins.json: ${file}: crawler ${name} is not in crawlers.txt, or is already in another file`,
        );
      unsorted.delete(name);
      return toEntry(seed);
    });
    const { date, v4, v6 } = rangesOf(source.lists, rangeLists);
    files.set(file, {
      operator,
      ...(note === undefined ? {} : { note }),
      crawlers,
      ranges: {
        published: true,
        authoritative,
        source_url,
        ...(refresh === undefined ? {} : { refresh }),
        date,
        v4,
        v6,
      },
      ...(reverse_dns === undefined ? {} : { reverse_dns }),
    });
  }
  for (const [operator, rest] of Map.groupBy(unsorted.values(), (seed) => seed.operator)) {
    const operatorSlug = operator === 'Unknown' ? 'unknown-operator' : slug(operator);
    // A published list can have the name of its operator. Then the file with the operator's other crawlers gets another
    // name.
    const name = rangeSources.published.some(({ file }) => file === operatorSlug)
      ? `${operatorSlug}-others`
      : operatorSlug;
    if (files.has(name)) throw new Error(`two files would have the name ${name}`);
    const reverseDns = rangeSources.reverse_dns_only[operator];
    files.set(name, {
      operator,
      crawlers: rest.map(toEntry),
      ranges: { published: false },
      ...(reverseDns === undefined ? {} : { reverse_dns: reverseDns }),
    });
  }
  return files;
}

function toEntry({ name, category, contains, startsWith }: Seed): CrawlerFile['crawlers'][number] {
  return {
    id: crawlerId(name),
    name,
    category,
    rsl_category: RSL_CATEGORIES[category],
    user_agent: {
      ...(contains.length === 0 ? {} : { contains: [...contains] }),
      ...(startsWith.length === 0 ? {} : { starts_with: [...startsWith] }),
    },
  };
}

function slug(operator: string): string {
  return operator
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}|['’]/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
