import { expect, test } from 'vitest';
import { createDocsServer } from '../index.ts';
import { serve } from '../rpc/test-server.ts';
import { loadPages } from './load-pages.ts';
import { loadPictures } from './pictures.ts';
import { reasonPages } from './reason-pages.ts';

const listed = loadPages();
const pages = [...listed, ...reasonPages()];
const site = async () => (await serve(createDocsServer({ publicUrl: 'https://docs.example' }))).url;

async function get(url: string, accept = '*/*') {
  const response = await fetch(url, { headers: { accept } });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    csp: response.headers.get('content-security-policy'),
    text: await response.text(),
  };
}

test('spec 4.6: /llms.txt names every page with its Markdown URL, and each of them is there', async () => {
  const url = await site();
  const { text } = await get(`${url}/llms.txt`);
  const linked = [...text.matchAll(/\(https:\/\/docs\.example(\/[^)]+\.md)\)/g)].map(
    ([, path]) => path,
  );
  expect(linked).toEqual(pages.map(({ path }) => `${path}.md`));
  for (const path of linked) {
    const page = await get(`${url}${path ?? ''}`);
    expect([path, page.status, page.type]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
    expect(page.text).toMatch(/^# /);
  }
});

test('spec 4.6: /llms-full.txt holds all pages', async () => {
  const { text } = await get(`${await site()}/llms-full.txt`);
  for (const { markdown } of pages) expect(text).toContain(markdown);
});

test('spec 4.6: a page is Markdown for Accept: text/markdown and HTML for a browser', async () => {
  const url = `${await site()}/rules`;
  const markdown = 'text/markdown; charset=utf-8';
  const html = 'text/html; charset=utf-8';
  expect((await get(url, 'text/markdown')).type).toBe(markdown);
  expect((await get(url, 'text/markdown, text/html;q=0.9')).type).toBe(markdown);
  expect((await get(url, 'text/html,application/xhtml+xml,*/*;q=0.8')).type).toBe(html);
  expect((await get(url, 'text/html, text/markdown;q=0.5')).type).toBe(html);
  expect((await get(url, 'text/markdown;q=0')).type).toBe(html);
  expect((await get(url)).type).toBe(html);
});

test('every HTML page has a policy that runs and fetches nothing, and loads nothing from elsewhere', async () => {
  const url = await site();
  for (const path of ['/', ...pages.map((page) => page.path)]) {
    const page = await get(`${url}${path}`, 'text/html');
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.csp).toContain("default-src 'none'");
    const fetched = page.text.replaceAll(
      /<img src="\/images\/[a-z0-9-]+\.png" alt="[^"]+"/g,
      '<img',
    );
    expect(fetched).not.toMatch(/<script|<iframe|\sstyle=|<[^>]*\ssrc=/);
    expect([...page.text.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      '/style.css',
    ]);
  }
  expect((await get(`${url}/style.css`)).type).toBe('text/css; charset=utf-8');
});

test('every picture that a page shows is there, and every picture is shown', async () => {
  const url = await site();
  const shown = listed.flatMap(({ markdown }) =>
    [...markdown.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path),
  );
  expect([...loadPictures().keys()].toSorted()).toEqual([...new Set(shown)].toSorted());
  for (const path of shown.slice(0, 5)) {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.headers.get('content-type')]).toEqual([path, 'image/png']);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  }
});

test('the overview lists every page that is not below another, as HTML and as Markdown', async () => {
  const url = await site();
  const html = await get(`${url}/`, 'text/html');
  const markdown = await get(`${url}/`, 'text/markdown');
  for (const { path } of listed) {
    expect(html.text).toContain(`href="${path}"`);
    expect(markdown.text).toContain(`${path}.md`);
  }
});

test.each([
  '/nowhere',
  '/nowhere.md',
  '/../package.json',
  '/%2e%2e/package.json',
  '/constructor',
  '/.md',
])('%s is 404', async (path) => {
  expect((await get(`${await site()}${path}`)).status).toBe(404);
});
