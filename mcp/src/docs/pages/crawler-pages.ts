import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import { createPage } from './page.ts';
import type { Page } from './page.ts';

/** Crawler pages come after all pages of the guide. */
const ORDER = 1000;

/**
 * A profile page below `/crawlers/` for each crawler (contract 4.5), and a page that lists them. Without crawlers there
 * are no such pages.
 */
export function crawlerPages(crawlers: readonly CatalogueCrawler[]): Page[] {
  if (crawlers.length === 0) return [];
  const sortedCrawlers = crawlers.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const profiles = sortedCrawlers.map((crawler) =>
    createPage(pathOf(crawler), crawler.name, ORDER, profileText(crawler)),
  );
  return [
    createPage('/crawlers', 'Known crawlers', ORDER, crawlerList(sortedCrawlers)),
    ...profiles,
  ];
}

function pathOf({ name }: CatalogueCrawler): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `/crawlers/${slug}`;
}

function crawlerList(crawlers: readonly CatalogueCrawler[]): string {
  const categories = [...Map.groupBy(crawlers, ({ category }) => category)];
  const tables = categories
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([category, members]) => categoryTable(category, members));
  return `The crawlers that Guard recognises by their User-Agent, grouped by the category that a rule can name. [Rules](/rules#crawlers) says how Guard treats them.

${tables.join('\n\n')}`;
}

function categoryTable(category: string, crawlers: readonly CatalogueCrawler[]): string {
  const rows = crawlers.map(
    (crawler) =>
      `| [${crawler.name}](${pathOf(crawler)}) | ${crawler.operator} | \`${crawler.rslCategory}\` |`,
  );
  return `## ${category}

| Crawler | Operator | Category key |
|---|---|---|
${rows.join('\n')}`;
}

function profileText({ id, name, category, rslCategory, operator }: CatalogueCrawler): string {
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

A request with this User-Agent is *identified*. It is *verified* when its address is in the
ranges that the operator publishes, or by another [proof](/crawler-verification).`;
}
