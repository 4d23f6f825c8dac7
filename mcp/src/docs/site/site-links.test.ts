import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { expect, test } from 'vitest';
import { useSite } from '../../testing/docs-site.ts';

/** The link targets, ids and headings of a document, as they are in its HTML. */
function readDocument(html: string) {
  const valuesOf = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);
  return {
    targets: valuesOf(/<[a-z]+\b[^>]*\s(?:href|src|action)="([^"]*)"/g),
    ids: valuesOf(/<[a-z0-9]+\b[^>]*\sid="([^"]*)"/g),
    headings: valuesOf(/<h[2-6][^>]*>([\s\S]*?)<\/h[2-6]>/g),
  };
}

type Document = ReturnType<typeof readDocument>;

const crawlers = CrawlerCatalogue.load().all();
const { get } = useSite({ crawlers });

/** Follows all links from the first page. Returns the documents and the other files. */
async function walkSite() {
  const documents = new Map<string, Document>();
  const files = new Set<string>();
  const pathsToVisit = ['/'];
  for (let path = pathsToVisit.pop(); path !== undefined; path = pathsToVisit.pop()) {
    if (documents.has(path) || files.has(path)) continue;
    const { status, headers, text } = await get(path, { accept: 'text/html' });
    expect([path, status]).toEqual([path, 200]);
    if (headers['content-type'] !== 'text/html; charset=utf-8') {
      files.add(path);
      continue;
    }
    const document = readDocument(text);
    documents.set(path, document);
    const pages = document.targets.map((target) => target.split('#')[0] ?? '');
    pathsToVisit.push(...pages.filter((page) => page.startsWith('/')));
  }
  return { documents, files };
}

test('every link of the site leads to a page, and its fragment is an id on this page', async () => {
  const { documents, files } = await walkSite();
  const leadsToPage = (path: string, target: string) => {
    if (/^https?:\/\//.test(target)) return true;
    const [page = '', anchor = ''] = (target.startsWith('#') ? path + target : target).split('#');
    if (anchor === '') return files.has(page) || documents.has(page);
    return documents.get(page)?.ids.includes(anchor) ?? false;
  };
  const broken: string[] = [];
  for (const [path, { targets, ids, headings }] of documents) {
    expect(new Set(ids).size, `${path}: no id occurs twice`).toBe(ids.length);
    // A heading is a link to itself, and a link must not contain a link.
    for (const heading of headings) expect(heading.match(/<a /g)?.length ?? 0).toBeLessThan(2);
    for (const target of targets) {
      if (!leadsToPage(path, target)) broken.push(`${path} links to ${target}`);
    }
  }
  expect(broken).toEqual([]);
  const profiles = [...documents.keys()].filter((path) => path.startsWith('/crawlers/'));
  expect(profiles).toHaveLength(crawlers.length);
});
