import { prefersMarkdown } from './accept.ts';
import { CONTENT_SECURITY_POLICY, htmlPage, STYLESHEET } from './html-page.ts';
import { escapeHtml } from './inline-html.ts';
import { markdownUrl } from './library.ts';
import type { Library } from './library.ts';
import { renderMarkdown } from './markdown-html.ts';
import { openApiDocument } from './openapi.ts';
import type { Page } from './page.ts';
import { loadPictures } from './pictures.ts';

export interface SiteAnswer {
  readonly status: 200 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Answers one GET by its path (without query) and Accept header. */
export type Site = (path: string, accept: string | undefined) => SiteAnswer;

/** Spec 4.6: every page as HTML and Markdown, /llms.txt, /llms-full.txt and /openapi.json. */
export function createSite(library: Library, publicUrl: () => string): Site {
  const { pages } = library;
  // Crawler profiles are many: their own list leads to them.
  const listed = pages.filter(({ path }) => path.lastIndexOf('/') === 0);
  const html = new Map<string, SiteAnswer>();
  const text = new Map<string, SiteAnswer>();
  for (const page of pages) {
    html.set(
      page.path,
      ok('text/html', htmlPage(page.title, renderMarkdown(page.markdown), listed)),
    );
    text.set(page.path, ok('text/markdown', page.markdown));
  }
  html.set('/', ok('text/html', htmlPage('Documentation', overview(listed), listed)));

  const fixed = new Map<string, SiteAnswer>([
    ['/style.css', ok('text/css', STYLESHEET)],
    ...Array.from(loadPictures(), ([path, png]) => [path, pictureAnswer(png)] as const),
    ['/openapi.json', ok('application/json', JSON.stringify(openApiDocument(), undefined, 2))],
    ['/llms-full.txt', ok('text/plain', pages.map(({ markdown }) => markdown).join('\n'))],
  ]);
  const missing = {
    status: 404,
    headers: headersFor('text/html'),
    body: htmlPage('Not found', '<h1>Not found</h1><p>There is no page here.</p>', listed),
  } as const;

  return (path, accept) => {
    const file = fixed.get(path);
    if (file !== undefined) return file;
    // The public address may be known only once the server listens, so these two are made on demand.
    if (path === '/llms.txt') return ok('text/plain', llmsTxt(pages, publicUrl()));
    if (path === '/index.md' || (path === '/' && prefersMarkdown(accept))) {
      return ok('text/markdown', llmsTxt(pages, publicUrl()));
    }
    const key = path.length > 1 ? path.replace(/\/$/, '') : path;
    const answer = key.endsWith('.md')
      ? text.get(key.slice(0, -3))
      : (prefersMarkdown(accept) ? text : html).get(key);
    return answer ?? missing;
  };
}

type ContentType = 'text/html' | 'text/markdown' | 'text/css' | 'text/plain' | 'application/json';

function ok(contentType: ContentType, body: string): SiteAnswer {
  return { status: 200, headers: headersFor(contentType), body };
}

function pictureAnswer(png: Buffer): SiteAnswer {
  return {
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
    },
    body: png,
  };
}

function headersFor(contentType: ContentType): Record<string, string> {
  return {
    'content-type': `${contentType}; charset=utf-8`,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'Accept',
  };
}

function overview(pages: readonly Page[]): string {
  const items = pages
    .map(
      ({ path, title, summary }) =>
        `<li><a href="${escapeHtml(path)}"><strong>${escapeHtml(title)}</strong></a><br>${renderMarkdown(summary)}</li>`,
    )
    .join('\n');
  return `<h1>Guard</h1>
<p>A self-hosted bot-defence gateway: one YAML file in front of your site, every decision in SQL.</p>
<ul>
${items}
</ul>
<p>For machines: <a href="/llms.txt">/llms.txt</a>, <a href="/llms-full.txt">/llms-full.txt</a>,
<a href="/openapi.json">/openapi.json</a>; every page also as Markdown, with <code>.md</code> appended.</p>`;
}

function llmsTxt(pages: readonly Page[], publicUrl: string): string {
  const lines = pages.map(
    (page) => `- [${page.title}](${markdownUrl(publicUrl, page)}): ${page.summary}`,
  );
  return `# Guard

> A self-hosted bot-defence gateway: one YAML file in front of your site, every decision in SQL.

## Documentation

${lines.join('\n')}

## Also

- [All pages in one file](${publicUrl}/llms-full.txt)
- [OpenAPI description](${publicUrl}/openapi.json): validation, health and analytics query
`;
}
