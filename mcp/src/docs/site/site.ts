import { htmlPage, overviewHtml, type Frame, type HtmlPage } from './html-page.ts';
import { type Library, markdownUrl } from '../pages/library.ts';
import { renderMarkdown } from '../render/markdown-html.ts';
import { groupPages, neighboursOf, type Neighbours, type MenuGroup } from './menu.ts';
import { sectionsOf, type Page } from '../pages/page.ts';
import { plainText } from '../render/plain-text.ts';
import { keptResource, passingResource, type Resource, packedResource } from './resource.ts';
import type { SearchIndex } from '../search/search-index.ts';
import {
  hitsHtml,
  MAX_SEARCH_LENGTH,
  runSearch,
  searchForm,
  searchHtml,
} from '../search/search-page.ts';
import { answerWith, prefersMarkdown, type SiteAnswer, type SiteRequest } from './site-answer.ts';
import { negotiatedHeaders, textHeaders, foreverHeaders, pictureHeaders } from './site-headers.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';

/** Answers one GET or HEAD. */
export type Site = (request: SiteRequest) => SiteAnswer;

/** Most sections that a page which is not there offers instead. */
const SUGGESTIONS = 5;

/**
 * Contract 4.6: every page as HTML and Markdown, /llms.txt, /llms-full.txt and /openapi.json; and a search
 * for people. `publicUrl` is asked at each request for what names it: it may be known late, and change.
 */
export function createSite(library: Library, index: SearchIndex, publicUrl: () => string): Site {
  const { pages } = library;
  const menu = groupPages(pages);
  const neighbours = neighboursOf(pages, menu);
  const frame: Frame = {
    menu,
    stylesheetPath: stylesheet.path,
    iconPath: icon.path,
    scriptPath: copyScript.path,
  };
  const files = siteFiles(pages);
  const byPath = new Map(
    pages.map((page) => [
      page.path,
      pageResources(page, () => htmlPage(frame, documentOf(page, neighbours.get(page.path)))),
    ]),
  );
  const overview = keptResource(negotiatedHeaders('text/html'), () =>
    htmlPage(frame, overviewDocument(frame)),
  );
  const listing = cached((address) =>
    keptResource(textHeaders('text/plain'), () => llmsTxt(menu, pages, address)),
  );

  const find = (request: SiteRequest): Resource | undefined => {
    const { path, accept } = request;
    if (path === '/search') return searchResults(frame, index, request);
    if (path === '/llms.txt') return listing(publicUrl());
    if (path === '/index.md')
      return withHeaders(listing(publicUrl()), textHeaders('text/markdown'));
    if (path === '/') {
      return prefersMarkdown(accept)
        ? withHeaders(listing(publicUrl()), negotiatedHeaders('text/markdown', '/index.md'))
        : overview;
    }
    if (path.endsWith('.md')) return byPath.get(path.slice(0, -3))?.alone;
    const page = byPath.get(path.replace(/\/$/, ''));
    return prefersMarkdown(accept) ? page?.markdown : page?.html;
  };

  return (request) =>
    answerWith(files.get(request.path) ?? find(request) ?? missing(frame, index, request), request);
}

/** One page in its two forms, the second also at a path of its own. */
interface PageResources {
  readonly html: Resource;
  readonly markdown: Resource;
  readonly alone: Resource;
}

function pageResources(page: Page, html: () => string): PageResources {
  // Profiles are many and each is seldom read: kept as the others are they would take 30 MB.
  const make = page.path.startsWith('/crawlers/') ? passingResource : keptResource;
  const location = `${page.path}.md`;
  const alone = make(textHeaders('text/markdown'), () => page.markdown);
  return {
    html: make(negotiatedHeaders('text/html'), html),
    markdown: withHeaders(alone, negotiatedHeaders('text/markdown', location)),
    alone,
  };
}

function withHeaders(resource: Resource, headers: Resource['headers']): Resource {
  return { ...resource, headers };
}

function documentOf(page: Page, neighbours: Neighbours = {}): HtmlPage {
  return {
    title: page.title,
    heading: page.title,
    description: plainText(page.summary),
    mainHtml: renderMarkdown(page.markdown.slice(page.markdown.indexOf('\n'))),
    path: page.path,
    neighbours,
    contents: sectionsOf(page).slice(1),
    searchStands: 'header',
  };
}

function overviewDocument({ menu }: Frame): HtmlPage {
  return {
    title: 'Documentation',
    heading: 'Guard',
    description: 'How to put Guard in front of a web site, and how to run it.',
    mainHtml: overviewHtml(menu),
    path: '/',
    searchStands: 'body',
  };
}

function searchResults(frame: Frame, index: SearchIndex, request: SiteRequest): Resource {
  const outcome = runSearch(request.query, request.takeSearch, (words, limit) =>
    index.search(words, limit),
  );
  const body = () =>
    htmlPage(frame, {
      title: outcome.kind === 'found' ? `Search: ${outcome.query}` : 'Search',
      heading: 'Search',
      description: 'Results of a search in the documentation.',
      mainHtml: searchHtml(outcome),
      searchStands: 'body',
    });
  const headers = textHeaders('text/html');
  switch (outcome.kind) {
    case 'nothing_asked':
    case 'found':
      return passingResource(headers, body);
    case 'too_long':
      return passingResource(headers, body, 400);
    case 'too_many': {
      const waitS = String(Math.ceil(outcome.waitMs / 1000));
      return passingResource({ ...headers, 'retry-after': waitS }, body, 429);
    }
  }
}

/** A 404 in the form that was asked for; to people with what the words of the path lead to. */
function missing(frame: Frame, index: SearchIndex, request: SiteRequest): Resource {
  const { path, accept } = request;
  if (prefersMarkdown(accept) || path.endsWith('.md')) {
    const text = () => '# Not found\n\nThere is no page here. Every page is listed at /llms.txt.\n';
    return passingResource(negotiatedHeaders('text/markdown'), text, 404);
  }
  const words = path
    .slice(0, MAX_SEARCH_LENGTH)
    .replaceAll(/[^a-z0-9_]+/gi, ' ')
    .trim();
  const hits = request.takeSearch() === 0 ? index.search(words, SUGGESTIONS) : [];
  const near = hits.length === 0 ? '' : `<h2>Perhaps one of these</h2>\n${hitsHtml(words, hits)}`;
  const body = () =>
    htmlPage(frame, {
      title: 'Not found',
      heading: 'Not found',
      description: 'There is no page here.',
      mainHtml: `<p>There is no page here. <a href="/">The overview</a> lists every page.</p>\n${searchForm('')}\n${near}`,
      searchStands: 'body',
    });
  return passingResource(negotiatedHeaders('text/html'), body, 404);
}

/** Keeps what was made of the last argument: it hardly ever changes. */
function cached(make: (key: string) => Resource): (key: string) => Resource {
  let last: { readonly key: string; readonly made: Resource } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) };
    return last.made;
  };
}

/** Contract 4.6 `/llms.txt`: every page with its Markdown URL, in the groups of the menu. */
function llmsTxt(menu: readonly MenuGroup[], pages: readonly Page[], publicUrl: string): string {
  const below = (path: string) => pages.filter((page) => page.path.startsWith(path));
  const groups = [
    ...menu,
    { title: 'Block reasons, one by one', pages: below('/block-reasons/') },
    // By the convention of these files, what stands here may be left out when room is short.
    { title: 'Optional', pages: below('/crawlers/') },
  ];
  const sections = groups
    .filter((group) => group.pages.length > 0)
    .map((group) => {
      const lines = group.pages.map(
        (page) => `- [${page.title}](${markdownUrl(publicUrl, page)}): ${plainText(page.summary)}`,
      );
      return `## ${group.title}\n\n${lines.join('\n')}\n`;
    });
  return `# Guard

> A self-hosted bot-defence gateway: one YAML file in front of your site, every decision in SQL.

- [All pages in one file](${publicUrl}/llms-full.txt)
- [OpenAPI description](${publicUrl}/openapi.json): validation, health and analytics query
- Search and read these pages as tools: MCP at ${publicUrl}/mcp

${sections.join('\n')}`;
}

const ASSETS = new URL('./assets/', import.meta.url);
const PICTURES = new URL('../../../../docs/guide/images/', import.meta.url);

/** A file that every page of the site refers to, at a path that changes with its content. */
interface Asset {
  readonly path: string;
  readonly text: string;
}

const stylesheet = loadAsset('style', 'css');
const icon = loadAsset('icon', 'svg');
const copyScript = loadAsset('copy', 'mjs');

/** Everything with a path of its own that is no page: contract 4.6, and what the pages show. */
function siteFiles(pages: readonly Page[]): Map<string, Resource> {
  return new Map([
    [stylesheet.path, keptResource(foreverHeaders('text/css'), () => stylesheet.text)],
    [copyScript.path, keptResource(foreverHeaders('text/javascript'), () => copyScript.text)],
    [icon.path, keptResource(foreverHeaders('image/svg+xml'), () => icon.text)],
    [
      '/openapi.json',
      keptResource(
        textHeaders('application/json'),
        () => `${JSON.stringify(openApiDocument(), undefined, 2)}\n`,
      ),
    ],
    [
      '/llms-full.txt',
      keptResource(textHeaders('text/plain'), () =>
        pages.map(({ markdown }) => markdown).join('\n'),
      ),
    ],
    ...Array.from(
      loadPictures(),
      ([path, png]) => [path, packedResource(pictureHeaders(), png)] as const,
    ),
  ]);
}

function loadAsset(name: string, extension: 'css' | 'mjs' | 'svg'): Asset {
  const text = readFileSync(new URL(`${name}.${extension}`, ASSETS), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/${name}-${digest}.${extension}`, text };
}

/** The pictures of the pages by their path, `/images/<name>.png`, read once. */
export function loadPictures(): Map<string, Buffer> {
  const names = readdirSync(PICTURES).filter((name) => /^[a-z0-9-]+\.png$/.test(name));
  return new Map(names.map((name) => [`/images/${name}`, readFileSync(new URL(name, PICTURES))]));
}
