import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violations, violationsInBothSchemes } from '../kit/browsers/accessibility.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';

/** These tests open the documentation of a started product in a browser. */

const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } as const;

let browser: Browser;
let product: Product;

beforeAll(async () => {
  [browser, product] = await Promise.all([
    launchPlain(),
    startProduct({
      version: 1,
      listen: { docs: '127.0.0.1:0' },
      secret: 'docs-site-tests-7d1c5b9e3a2f',
      organisations: [{ id: 'acme' }],
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), product.stop()]);
});

/** Runs `inspect` on one page of the site in a new browser context. */
async function withPage<T>(
  path: string,
  options: BrowserContextOptions,
  inspect: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(product.addresses.docs + path);
  const result = await inspect(page);
  await context.close();
  return result;
}

/** The number of pixels by which the page is wider than the window. */
const overflow = (page: Page) =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );

/** A page with tables, code and a list of headings. axe needs ten times as long for the longest page. */
const USUAL_PAGE = '/browser-script';
/** One page of each kind: cards, tables, a short page with links to its neighbours, a search, an error. */
const PAGES = ['/', USUAL_PAGE, '/crawlers/gptbot', '/search?q=rate+limit', '/not-there'];
/** The pages with the widest tables, the widest code and the longest words. */
const WIDE_PAGES = ['/guard-yaml', '/challenge', '/rules'];

describe.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('on a %s', (_device, options) => {
  test.each(PAGES)(
    'WCAG 2.2 AA: axe finds no violation on %s in light and in dark colours, and the page is not wider than the window',
    async (path) => {
      await withPage(path, options, async (page) => {
        expect(await overflow(page)).toBe(0);
        expect(await violationsInBothSchemes(page)).toEqual([]);
      });
    },
  );

  test.each(WIDE_PAGES)('WCAG 1.4.10: %s is not wider than the window', async (path) => {
    expect(await withPage(path, options, overflow)).toBe(0);
  });
});

test('on a phone axe finds no violation in the open menu and in the open list of headings', async () => {
  const results = await withPage(USUAL_PAGE, PHONE, async (page) => {
    await page.locator('.menu summary').tap();
    const menu = await violations(page);
    await page.locator('.menu summary').tap();
    await page.locator('main summary').tap();
    return [...menu, ...(await violations(page))];
  });
  expect(results).toEqual([]);
});

test('the site works without scripts, loads nothing from other hosts and does not violate its policy', async () => {
  const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
  const page = await context.newPage();
  const origins = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  page.on('console', (message) => complaints.push(message.text()));

  await page.goto(product.addresses.docs);
  await page.locator('.menu summary').tap();
  await page.locator('.menu').getByRole('link', { name: 'Rules', exact: true }).tap();
  await page.waitForURL('**/rules');
  await page.getByRole('searchbox').fill('rate_limit_exceeded');
  await page.getByRole('button', { name: 'Search' }).tap();
  await page.waitForURL('**/search?q=rate_limit_exceeded');
  await page.locator('.hits').getByRole('link', { name: 'rate_limit_exceeded' }).first().tap();
  await page.waitForURL('**/block-reasons/rate_limit_exceeded*');
  await page.locator('a[rel=next]').tap();
  await page.waitForURL((url) => !url.pathname.endsWith('rate_limit_exceeded'));

  expect([...origins]).toEqual([new URL(product.addresses.docs).origin]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a button copies code unchanged, if the browser allows this', async () => {
  const context = await browser.newContext({
    ...DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(`${product.addresses.docs}/dashboard`);
  const block = page.locator('.code').first();
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();
  const copiedText = await page.evaluate('navigator.clipboard.readText()');
  expect(copiedText).toBe(await block.locator('pre').textContent());
  await context.close();
});

test('no page shows the Markdown text of a link', async () => {
  const sitemap = await (await fetch(`${product.addresses.docs}/llms.txt`)).text();
  const paths = [...sitemap.matchAll(/\((https?:[^)]+)\.md\)/g)].map(([, path = '']) => path);
  const guide = paths.filter((path) => !path.includes('/crawlers/'));
  expect(guide.length).toBeGreaterThan(80);
  for (const path of guide) {
    const html = await (await fetch(path, { headers: { accept: 'text/html' } })).text();
    const proseHtml = html.replaceAll(/<(?:pre|code)\b[\s\S]*?<\/(?:pre|code)>/g, '');
    expect(proseHtml, path).not.toMatch(/\]\(/);
  }
});

test('a link in the list of headings scrolls to its heading, which is then below the fixed bar', async () => {
  const gap = await withPage('/guard-yaml', DESKTOP, async (page) => {
    await page.locator('nav.contents').getByRole('link', { name: 'Sessions' }).click();
    await page.waitForURL('**#sessions');
    const [bar, heading] = await Promise.all([
      page.locator('header').boundingBox(),
      page.locator('#sessions').boundingBox(),
    ]);
    return (heading?.y ?? -1) - (bar?.height ?? 999);
  });
  expect(gap).toBeGreaterThanOrEqual(0);
});

test('WCAG 2.4.1: the first link that Tab reaches skips the menu', async () => {
  const reachedPage = await withPage('/rules', DESKTOP, async (page) => {
    await page.keyboard.press('Tab');
    return page.evaluate('[document.activeElement.textContent, document.activeElement.hash]');
  });
  expect(reachedPage).toEqual(['Skip to the text', '#content']);
});

test('a printed page has the whole text, and no menu', async () => {
  const shownPage = await withPage('/guard-yaml', DESKTOP, async (page) => {
    await page.emulateMedia({ media: 'print' });
    const visible = ['header', '.sidebar', 'nav.contents', '.pager', 'main h1', 'main table'];
    return Promise.all(visible.map((part) => page.locator(part).first().isVisible()));
  });
  expect(shownPage).toEqual([false, false, false, false, true, true]);
});
