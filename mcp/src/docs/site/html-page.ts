import { escapeHtml, renderInline } from '../render/inline-html.ts';
import type { MenuGroup, Neighbours } from './menu.ts';
import type { Page, Section } from '../pages/page.ts';
import { searchForm } from '../search/search-page.ts';

/** A page may run only the site's own script. It loads nothing from other hosts, and no other page can frame it. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** One document of the site. A field with HTML has `Html` in its name. All other fields are plain text. */
export interface HtmlPage {
  /** The title for the title bar and for search engines. */
  readonly title: string;
  readonly heading: string;
  readonly description: string;
  /** The content below the heading. */
  readonly mainHtml: string;
  /** Undefined for a document outside the guide, such as search results. */
  readonly path?: string;
  readonly neighbours?: Neighbours;
  /** The headings for "On this page". A single heading needs no list. */
  readonly contents?: readonly Section[];
  /** `body` when the page has a search form in its text. */
  readonly searchFormIn: 'header' | 'body';
}

/** The data that all documents of the site share. */
export interface Frame {
  readonly menu: readonly MenuGroup[];
  readonly stylesheetPath: string;
  readonly iconPath: string;
  /** The path of the script that adds copy buttons. A page without code does not load it. */
  readonly scriptPath: string;
}

/** Returns a complete HTML document. */
export function htmlPage(frame: Frame, page: HtmlPage): string {
  const { path, neighbours = {}, contents = [] } = page;
  const menu = menuHtml(frame.menu, path, neighbours.parent?.path);
  // The list of headings is in the document twice. The style sheet shows one of them: beside the text, or above it.
  const hasContents = contents.length > 1;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Guard</title>
<meta name="description" content="${escapeHtml(page.description)}">
<meta name="color-scheme" content="light dark">
${path === undefined ? '<meta name="robots" content="noindex">' : `<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">`}
<link rel="icon" href="${frame.iconPath}" type="image/svg+xml">
<link rel="stylesheet" href="${frame.stylesheetPath}">
${page.mainHtml.includes('<pre') ? `<script src="${frame.scriptPath}" defer></script>` : ''}
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="/"><img src="${frame.iconPath}" alt="" width="24" height="24">Guard</a>
${page.searchFormIn === 'header' ? searchForm('') : ''}
<details class="menu"><summary>Menu</summary><nav aria-label="Pages">${menu}</nav></details>
</header>
<div class="columns">
<nav class="sidebar" aria-label="Pages">${menu}</nav>
<main id="content">
${parentLink(neighbours)}
<h1>${escapeHtml(page.heading)}</h1>
${hasContents ? `<details class="contents"><summary>On this page</summary>${contentsList(contents)}</details>` : ''}
${page.mainHtml}
${pager(neighbours)}
${path === undefined ? '' : `<p class="source"><a href="${markdownPath(path)}">This page as Markdown</a></p>`}
</main>
${hasContents ? `<nav class="contents" aria-labelledby="contents"><p id="contents" class="group">On this page</p>${contentsList(contents)}</nav>` : ''}
</div>
</body>
</html>
`;
}

function markdownPath(path: string): string {
  return escapeHtml(path === '/' ? '/index.md' : `${path}.md`);
}

function menuHtml(
  menu: readonly MenuGroup[],
  current: string | undefined,
  parent: string | undefined,
): string {
  const menuItem = ({ path, title }: Page) => {
    const ownMark = path === current ? ' aria-current="page"' : '';
    const mark = path === parent ? ' aria-current="true"' : ownMark;
    return `<li><a href="${escapeHtml(path)}"${mark}>${escapeHtml(title)}</a></li>`;
  };
  return menu
    .map(
      ({ title, pages }) =>
        `<p class="group">${escapeHtml(title)}</p><ul>${pages.map(menuItem).join('')}</ul>`,
    )
    .join('\n');
}

function parentLink({ parent }: Neighbours): string {
  return parent === undefined
    ? ''
    : `<p class="parentLink"><a href="${escapeHtml(parent.path)}">${escapeHtml(parent.title)}</a> /</p>`;
}

function pager({ previous, next }: Neighbours): string {
  const link = (page: Page | undefined, rel: 'prev' | 'next', label: string) =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${escapeHtml(page.path)}"><span>${label}</span> ${escapeHtml(page.title)}</a>`;
  const links = link(previous, 'prev', 'Previous') + link(next, 'next', 'Next');
  return links === ''
    ? ''
    : `<nav class="pager" aria-label="Previous and next page">${links}</nav>`;
}

function contentsList(contents: readonly Section[]): string {
  const items = contents.map(
    ({ level, anchor, heading }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

/** The content of the first page: a search form, and each page of the menu with its summary. */
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
<p>Every page is Markdown too, with <code>.md</code> after its address or <code>Accept: text/markdown</code>.
<a href="/llms.txt">/llms.txt</a> lists them, <a href="/llms-full.txt">/llms-full.txt</a> is all of them, and
<a href="/openapi.json">/openapi.json</a> describes validation, health and queries.
An MCP client finds the search at <code>/mcp</code>: see <a href="/assistants">assistants</a>.</p></section>`;
}
