import { escapeHtml, renderInline } from '../render/inline-html.ts';
import type { MenuGroup } from './menu.ts';
import { searchForm } from '../search/search-page.ts';

/** What stands below the heading of the first page: a search, and every page of the menu with what it is for. */
export function overviewHtml(menu: readonly MenuGroup[]): string {
  const groups = menu.map(({ title, pages }) => {
    const items = pages.map(
      (page) =>
        `<li><a href="${escapeHtml(page.path)}">${escapeHtml(page.title)}</a><p>${renderInline(page.summary)}</p></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2><ul class="cards">${items.join('\n')}</ul></section>`;
  });
  return `<p class="lead">A self-hosted bot-defence gateway: one YAML file in front of your site, every decision in SQL.</p>
${searchForm('')}
${groups.join('\n')}
<section><h2>For programs and assistants</h2>
<p>Every page is Markdown too, with <code>.md</code> behind its address or <code>Accept: text/markdown</code>.
<a href="/llms.txt">/llms.txt</a> lists them, <a href="/llms-full.txt">/llms-full.txt</a> is all of them, and
<a href="/openapi.json">/openapi.json</a> describes validation, health and queries.
An MCP client finds the search at <code>/mcp</code>: see <a href="/assistants">assistants</a>.</p></section>`;
}
