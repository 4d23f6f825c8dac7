import { expect, test } from 'vitest';
import { loadPages } from '../pages/load-pages.ts';
import { loadPictures } from './site-files.ts';
import { reasonPages } from '../pages/reason-pages.ts';
import { useSite } from '../../testing/docs-site.ts';

const guidePages = loadPages();
const pages = [...guidePages, ...reasonPages()];
const { get } = useSite();
const COPY_SCRIPT = /<script src="\/assets\/copy-[0-9a-f]{12}\.mjs" defer><\/script>/;
const CRAWLER_PATHS = ['/crawlers', '/crawlers/example-bot'];

test('contract 4.6: /llms.txt names every page once with its Markdown URL, and each URL is served', async () => {
  const { text } = await get('/llms.txt');
  const linkedPaths = [...text.matchAll(/\(https:\/\/docs\.example(\/[^)]+\.md)\)/g)].map(
    ([, path = '']) => path,
  );
  const expected = [...pages.map(({ path }) => path), ...CRAWLER_PATHS];
  expect(linkedPaths.toSorted()).toEqual(expected.map((path) => `${path}.md`).toSorted());
  for (const path of linkedPaths) {
    const { status, headers, text: markdown } = await get(path);
    expect([path, status, headers['content-type']]).toEqual([
      path,
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(markdown).toMatch(/^# /);
  }
});

let address = 'http://unknown';
const movingSite = useSite({ publicUrl: () => address });

test('/llms.txt follows a change of the public URL', async () => {
  const firstAnswer = await movingSite.get('/llms.txt');
  expect(firstAnswer.text).toContain('(http://unknown/start.md)');
  address = 'https://docs.example/';
  const secondAnswer = await movingSite.get('/llms.txt');
  expect(secondAnswer.text).toContain('(https://docs.example/start.md)');
  expect(secondAnswer.headers.etag).not.toBe(firstAnswer.headers.etag);
});

test('contract 4.6: /llms-full.txt contains all pages', async () => {
  const { text } = await get('/llms-full.txt');
  for (const { markdown } of pages) expect(text).toContain(markdown);
  expect(text).toContain('\n# Example Bot\n');
});

test.each(['/rules', '/block-reasons/datacenter_ip', '/crawlers/example-bot', '/'])(
  'contract 4.6: %s is Markdown for Accept: text/markdown and HTML for a browser',
  async (path) => {
    const typeFor = async (accept?: string) => {
      const { headers } = await get(path, accept === undefined ? {} : { accept });
      return headers['content-type'];
    };
    const markdown = 'text/markdown; charset=utf-8';
    const html = 'text/html; charset=utf-8';
    expect(await typeFor('text/markdown')).toBe(markdown);
    expect(await typeFor('text/markdown, text/html;q=0.9')).toBe(markdown);
    expect(await typeFor('text/html,application/xhtml+xml,*/*;q=0.8')).toBe(html);
    expect(await typeFor('text/html, text/markdown;q=0.5')).toBe(html);
    expect(await typeFor('text/markdown;q=0')).toBe(html);
    expect(await typeFor()).toBe(html);
  },
);

test("the content security policy of every page allows only the site's own script, and nothing from other hosts", async () => {
  const paths = pages.map(({ path }) => path);
  for (const path of ['/', ...paths, ...CRAWLER_PATHS, '/search?q=rate', '/nowhere']) {
    const { headers, text } = await get(path, { accept: 'text/html' });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(text.replace(COPY_SCRIPT, '')).not.toMatch(
      /<script|<iframe|\sstyle=|\son[a-z]+=|<style/,
    );
    const fetchedUrls = text.matchAll(/<(?:link|img)\b[^>]*\s(?:href|src)="([^"]*)"/g);
    for (const [, target = ''] of fetchedUrls) {
      expect(target, path).toMatch(
        /^\/(?:assets|images)\/[a-z0-9-]+\.(?:css|svg|png)$|^\/[a-z0-9_/-]+\.md$/,
      );
    }
  }
});

test('every picture on a page exists, and every picture is on a page', async () => {
  const shownPictures = guidePages.flatMap(({ markdown }) =>
    [...markdown.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path),
  );
  expect([...loadPictures().keys()].toSorted()).toEqual([...new Set(shownPictures)].toSorted());
  for (const path of shownPictures.slice(0, 5)) {
    const { headers, bytes } = await get(path);
    expect([path, headers['content-type']]).toEqual([path, 'image/png']);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  }
});

test('the overview and the menu list each page of the first level once', async () => {
  const overview = await get('/');
  const page = await get('/block-reasons/datacenter_ip');
  const [, menu = ''] = /<nav class="sidebar"[^>]*>([\s\S]*?)<\/nav>/.exec(page.text) ?? [];
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(overview.text) ?? [];
  for (const { path } of guidePages) {
    expect(main).toContain(`<li><a href="${path}">`);
    expect(menu.split(`<li><a href="${path}"`)).toHaveLength(2);
  }
  expect(menu).toContain('<a href="/block-reasons" aria-current="true">');
});

test('"Next" leads through all pages of the menu, and through all pages below one page', async () => {
  const walk = async (start: string) => {
    const readPaths: string[] = [];
    for (let path: string | undefined = start; path !== undefined;) {
      expect(readPaths).not.toContain(path);
      readPaths.push(path);
      path = /rel="next" href="([^"]+)"/.exec((await get(path)).text)?.[1];
    }
    return readPaths;
  };
  const guidePaths = [...guidePages.map(({ path }) => path), '/crawlers'];
  expect((await walk('/start')).toSorted()).toEqual(guidePaths.toSorted());
  expect(await walk(reasonPages()[0]?.path ?? '')).toEqual(reasonPages().map(({ path }) => path));
});

test.each([
  '/nowhere',
  '/nowhere.md',
  '/../package.json',
  '/%2e%2e/package.json',
  '/constructor',
  '/.md',
  '//',
  '/assets/style.css',
])('%s is 404', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a 404 page offers a search, and results for the words of its path', async () => {
  const { status, text } = await get('/docs/rate-limit', { accept: 'text/html' });
  expect(status).toBe(404);
  expect(text).toContain('action="/search"');
  expect(text).toContain('href="/rules#rate-limits"');
  const markdown = await get('/docs/rate-limit', { accept: 'text/markdown' });
  expect([markdown.status, markdown.headers['content-type']]).toEqual([
    404,
    'text/markdown; charset=utf-8',
  ]);
  expect(markdown.text).toContain('/llms.txt');
});
