import type { CatalogueCrawler, CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { alignColumns } from '../terminal/layout.ts';

type CrawlerView = ReturnType<typeof viewOf>;

const DAY_MS = 86_400_000;

export function viewOf(crawler: CatalogueCrawler, catalogue: CrawlerCatalogue, now: number) {
  const { list, reverseDnsDomains } = catalogue.proofsOf(crawler);
  return {
    id: crawler.id,
    name: crawler.name,
    operator: crawler.operator,
    category: crawler.category,
    rsl_category: crawler.rslCategory,
    user_agent: catalogue.tokensOf(crawler),
    /** The ways to verify a claim to be this crawler, other than a key of the operator. */
    proofs: [
      ...(list === undefined ? [] : (['ranges'] as const)),
      ...(reverseDnsDomains.length === 0 ? [] : (['reverse_dns'] as const)),
    ],
    ranges: list && {
      list: list.file,
      count: list.entries.length,
      as_of: new Date(list.asOf).toISOString(),
      age_days: Math.max(0, Math.floor((now - list.asOf) / DAY_MS)),
      authoritative: list.authoritative,
      source_url: list.sourceUrl,
      refreshed_from: list.refreshUrls,
      entries: list.entries,
    },
    reverse_dns: reverseDnsDomains,
  };
}

const HEAD = ['NAME', 'OPERATOR', 'CATEGORY', 'RANGES', 'AGE', 'PROOFS'];

export function tableOf(views: readonly CrawlerView[]): string {
  return alignColumns([
    HEAD,
    ...views.map(({ name, operator, category, ranges, proofs }) => [
      name,
      operator,
      category,
      ranges === undefined ? '-' : String(ranges.count),
      ranges === undefined ? '-' : `${ranges.age_days} d`,
      proofs.join(', ') || '-',
    ]),
  ]).join('\n');
}

export function fullText(view: CrawlerView): string {
  const { ranges } = view;
  const rows: [string, string][] = [
    ['name', view.name],
    ['id', view.id],
    ['operator', view.operator],
    ['category', view.category],
    ['rsl_category', view.rsl_category],
    ['user agent', view.user_agent.join(', ')],
    ['host names', view.reverse_dns.join(', ') || 'none published'],
  ];
  if (ranges === undefined) return alignColumns([...rows, ['ranges', 'none published']]).join('\n');
  const complete = ranges.authoritative
    ? 'complete: from elsewhere it is an impersonator'
    : 'not complete: from elsewhere it is unverifiable';
  const head = alignColumns([
    ...rows,
    ['ranges', `${ranges.count}, ${complete}`],
    ['as of', `${ranges.as_of} (${ranges.age_days} days)`],
    ['published at', ranges.source_url],
    ['refreshed', ranges.refreshed_from.join(', ') || 'never: there is no list for programs'],
  ]);
  return [...head, '', ...ranges.entries].join('\n');
}
