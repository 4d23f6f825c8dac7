import type { Library } from '../pages/library.ts';
import { type Page, sectionsOf } from '../pages/page.ts';
import { renderMarkdown } from '../render/markdown-html.ts';
import { plainText } from '../render/plain-text.ts';
import type { SearchIndex } from '../search/search-index.ts';
import {
  hitsHtml,
  MAX_SEARCH_LENGTH,
  runSearch,
  searchForm,
  searchHtml,
} from '../search/search-page.ts';
import { type Frame, htmlPage, type HtmlPage, overviewHtml } from './html-page.ts';
import { llmsTxt } from './llms-txt.ts';
import { groupPages, type Neighbours, neighboursOf } from './menu.ts';
import { keptResource, passingResource, type Resource } from './resource.ts';
import { answerWith, prefersMarkdown, type SiteAnswer, type SiteRequest } from './site-answer.ts';
import { copyScript, icon, siteFiles, stylesheet } from './site-files.ts';
import { negotiatedHeaders, textHeaders } from './site-headers.ts';

/** Answers one GET or HEAD request. */
export type Site = (request: SiteRequest) => SiteAnswer;

/** Maximum number of sections on the 404 page. */
const MAX_SUGGESTIONS = 5;

/**
 * Contract 4.6: serves every page as HTML and Markdown, /llms.txt, /llms-full.txt, /openapi.json, and a search form.
 * `publicUrl` is called for each request that needs it, because the URL may change.
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
  const resourcesByPath = new Map(
    pages.map((page) => [
      page.path,
      pageResources(page, () => htmlPage(frame, documentOf(page, neighbours.get(page.path)))),
    ]),
  );
  const overview = keptResource(negotiatedHeaders('text/html'), () =>
    htmlPage(frame, {
      title: 'Documentation',
      heading: 'Guard',
      description: 'How to put Guard in front of a web site, and how to run it.',
      mainHtml: overviewHtml(frame.menu),
      path: '/',
      searchFormIn: 'body',
    }),
  );
  const llmsTxtFor = cacheLast((address) =>
    keptResource(textHeaders('text/plain'), () => llmsTxt(menu, pages, address)),
  );

  const findResource = (request: SiteRequest): Resource | undefined => {
    const { path, accept } = request;
    if (path === '/search') return searchResults(frame, index, request);
    if (path === '/llms.txt') return llmsTxtFor(publicUrl());
    if (path === '/index.md')
      return withHeaders(llmsTxtFor(publicUrl()), textHeaders('text/markdown'));
    if (path === '/') {
      return prefersMarkdown(accept)
        ? withHeaders(llmsTxtFor(publicUrl()), negotiatedHeaders('text/markdown', '/index.md'))
        : overview;
    }
    if (path.endsWith('.md')) return resourcesByPath.get(path.slice(0, -3))?.markdownFile;
    const page = resourcesByPath.get(path.replace(/\/$/, ''));
    return prefersMarkdown(accept) ? page?.markdown : page?.html;
  };

  return (request) =>
    answerWith(
      files.get(request.path) ?? findResource(request) ?? notFound(frame, index, request),
      request,
    );
}

function pageResources(page: Page, html: () => string) {
  // Crawler profiles are not cached. There are many profiles, each is rarely read, and their cache would take 30 MB.
  const createResource = page.path.startsWith('/crawlers/') ? passingResource : keptResource;
  const location = `${page.path}.md`;
  const markdownFile = createResource(textHeaders('text/markdown'), () => page.markdown);
  return {
    html: createResource(negotiatedHeaders('text/html'), html),
    markdown: withHeaders(markdownFile, negotiatedHeaders('text/markdown', location)),
    markdownFile,
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
    searchFormIn: 'header',
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
      searchFormIn: 'body',
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

/** Returns a 404 page as Markdown or HTML. The HTML suggests pages for the words of the path. */
function notFound(frame: Frame, index: SearchIndex, request: SiteRequest): Resource {
  const { path, accept } = request;
  if (prefersMarkdown(accept) || path.endsWith('.md')) {
    const markdownText = () =>
      '# Not found\n\nThere is no page here. Every page is listed at /llms.txt.\n';
    return passingResource(negotiatedHeaders('text/markdown'), markdownText, 404);
  }
  const words = path
    .slice(0, MAX_SEARCH_LENGTH)
    .replaceAll(/[^a-z0-9_]+/gi, ' ')
    .trim();
  const hits = request.takeSearch() === 0 ? index.search(words, MAX_SUGGESTIONS) : [];
  const suggestionsHtml =
    hits.length === 0 ? '' : `<h2>Perhaps one of these</h2>\n${hitsHtml(words, hits)}`;
  const body = () =>
    htmlPage(frame, {
      title: 'Not found',
      heading: 'Not found',
      description: 'There is no page here.',
      mainHtml: `<p>There is no page here. <a href="/">The overview</a> lists every page.</p>\n${searchForm('')}\n${suggestionsHtml}`,
      searchFormIn: 'body',
    });
  return passingResource(negotiatedHeaders('text/html'), body, 404);
}

/** Caches the result for the last key, because the key rarely changes. */
function cacheLast(createFor: (key: string) => Resource): (key: string) => Resource {
  let lastResult: { readonly key: string; readonly resource: Resource } | undefined;
  return (key) => {
    if (lastResult?.key !== key) lastResult = { key, resource: createFor(key) };
    return lastResult.resource;
  };
}
