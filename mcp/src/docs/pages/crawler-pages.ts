import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

/** After all written pages. */
const ORDER = 1000;

/**
 * One profile page for each crawler below `/crawlers/` (contract 4.5: `get_page` takes a crawler-profile path), and
 * one page that lists them. Without crawlers there are no pages.
 */
export function crawlerPages(crawlers: readonly CatalogueCrawler[]): Page[] {
  if (crawlers.length === 0) return [];
  const sorted = crawlers.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const profiles = sorted.map((crawler) =>
    createPage(pathOf(crawler), crawler.name, ORDER, profile(crawler)),
  );
  return [createPage('/crawlers', 'Known crawlers', ORDER, list(sorted)), ...profiles];
}

function pathOf({ name }: CatalogueCrawler): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `/crawlers/${slug}`;
}

function list(crawlers: readonly CatalogueCrawler[]): string {
  const categories = [...Map.groupBy(crawlers, ({ category }) => category)];
  const tables = categories
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([category, members]) => table(category, members));
  return `The crawlers that Guard knows by their User-Agent, by the category that a rule can name. How they are treated is told in [rules](/rules#crawlers).

${tables.join('\n\n')}`;
}

function table(category: string, crawlers: readonly CatalogueCrawler[]): string {
  const rows = crawlers.map(
    (crawler) =>
      `| [${crawler.name}](${pathOf(crawler)}) | ${crawler.operator} | \`${crawler.rslCategory}\` |`,
  );
  return `## ${category}

| Crawler | Operator | Category key |
|---|---|---|
${rows.join('\n')}`;
}

function profile({ id, name, category, rslCategory, operator }: CatalogueCrawler): string {
  return `${name} is a known crawler. Operator: ${operator}. Category: ${category}.

| Field of \`crawler\` | Value |
|---|---|
| \`id\` | \`${id}\` |
| \`name\` | \`${name}\` |
| \`category\` | \`${category}\` |
| \`rsl_category\` | \`${rslCategory}\` |

To match it in a rule:

\`\`\`yaml
match: { crawler: { name: ${JSON.stringify(name)} } }
\`\`\`

A request that carries its User-Agent is *identified*. It is *verified* when its address lies in the
ranges that the operator publishes, or by another of the [proofs](/crawler-verification).`;
}
