import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { startSite, type Site } from './testing/test-site.ts';

/**
 * The challenge page in a real browser. A small site challenges every session that has no judgement, and serves all
 * other sessions. The tests also check that Guard detects the driven browser.
 */

let browser: Browser;
let context: BrowserContext;
let page: Page;
let site: Site;

beforeAll(async () => {
  browser = await launchPlain();
});
afterAll(() => browser.close());

beforeEach(async () => {
  site = await startSite();
  context = await browser.newContext({ locale: 'en-US' });
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  site.server.closeAllConnections();
  site.server.close();
});

describe('contract 3: interstitial served, browser completes it', () => {
  test('uploads once, reloads the same URL once, and arrives', async () => {
    const failures: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('403')) {
        failures.push(message.text());
      }
    });
    page.on('pageerror', (error) => failures.push(error.message));
    await page.goto(`${site.url}/shop?item=7#reviews`);
    await page.waitForSelector('text=the origin');
    expect(page.url()).toBe(`${site.url}/shop?item=7#reviews`);
    expect(site.visits.map(({ url, answered }) => `${answered} ${url}`)).toEqual([
      'challenge /shop?item=7',
      'origin /shop?item=7',
    ]);
    expect(site.outcomes).toHaveLength(1);
    // There was no error, for example from the Content-Security-Policy.
    expect(failures).toEqual([]);
  });

  test('sends requests only to its own host: the page, the upload, the frame and the files', async () => {
    const requestedUrls = new Set<string>();
    page.on('request', (request) => requestedUrls.add(request.url().split(/[#?]/, 1)[0] ?? ''));
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    const networkUrls = [...requestedUrls].filter((url) => !/^(?:data|blob):/.test(url));
    expect(networkUrls.filter((url) => !url.endsWith('/favicon.ico')).toSorted()).toEqual(
      ['/.guard/echo', '/.guard/verify', '/.guard/witness', '/shop'].map((path) => site.url + path),
    );
  });

  test('the driven browser is judged automated', async () => {
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=the origin');
    expect(site.outcomes[0]).toMatchObject({
      kind: 'rejected',
      reasons: expect.arrayContaining(['webdriver', 'headless_browser']) as unknown,
    });
    expect([...site.store.sessions.values()][0]?.state).toBe('rejected');
  });

  test('two tabs of one new visitor both reach the site', async () => {
    const otherTab = await context.newPage();
    await Promise.all([page.goto(`${site.url}/one`), otherTab.goto(`${site.url}/two`)]);
    await Promise.all([
      page.waitForSelector('text=the origin'),
      otherTab.waitForSelector('text=the origin'),
    ]);
  });
});

describe('contract 2.8: _guard_ref', () => {
  const storedReferrer = () => page.evaluate("sessionStorage.getItem('_guard_ref')");

  test('is absent without a cross-origin referrer, and the value of an earlier run is removed', async () => {
    await context.addInitScript(
      "if (!sessionStorage.getItem('seen')) { sessionStorage.setItem('seen', '1'); sessionStorage.setItem('_guard_ref', 'https://old.example'); }",
    );
    await page.goto(`${site.url}/`, { referer: `${site.url}/inside` });
    await page.waitForSelector('text=the origin');
    expect(await storedReferrer()).toBeNull();
  });
});

describe('contract 3: upload fails', () => {
  test('the first failure shows the retry screen, and a second try can succeed', async () => {
    site.intercept = (response) => response.writeHead(503).end();
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    site.intercept = undefined;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=the origin');
  });

  test('the second failure shows the failure screen, which has the focus and the reference code', async () => {
    site.intercept = (response) => response.destroy();
    await page.goto(`${site.url}/`);
    await page.click('button:visible');
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe(
      'Your browser could not be checked',
    );
    expect(await page.title()).toBe('Your browser could not be checked');
    expect(await page.textContent('footer code')).toMatch(/^[0-9A-Z]{8}$/);
  });

  test('an answer of another server is a failure and causes no reload', async () => {
    site.intercept = (response) => response.writeHead(200).end('<html>please log in</html>');
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(site.visits).toHaveLength(1);
  });

  test('without session storage, the first failure shows the retry screen, and the second the failure screen', async () => {
    await context.addInitScript(
      "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('denied'); } })",
    );
    await page.goto(`${site.url}/`);
    await page.click('button:visible');
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(site.outcomes).toEqual([]);
  });
});

describe('the challenge page never reloads in a loop', () => {
  test('a cookie that does not stay shows the cookies screen (interstitial_no_session)', async () => {
    site.setsCookie = false;
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=Cookies are needed here', { state: 'visible' });
    expect(site.outcomes[0]?.reasons).toEqual(['interstitial_no_session']);
    expect(site.visits).toHaveLength(1);
  });

  test('a User-Agent that changed before the upload leads to a new page, which arrives', async () => {
    await page.route('**/.guard/verify', async (route) => {
      const headers = { ...route.request().headers(), 'user-agent': 'another browser' };
      await (site.outcomes.length === 0 ? route.continue({ headers }) : route.continue());
    });
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=the origin');
    expect(site.outcomes[0]?.reasons).toEqual(['challenge_invalid']);
    expect(site.visits.map(({ answered }) => answered)).toEqual([
      'challenge',
      'challenge',
      'origin',
    ]);
  });

  test('a URL that is always challenged ends on the failure screen', async () => {
    site.challengesAlways = true;
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(site.visits).toHaveLength(4);
  });

  test.each([-1, 1])(
    'a URL that is always challenged ends on the failure screen, also when the clock jumps by %d day',
    async (days) => {
      // The clock jumps on the third page and on later pages, but in no frame.
      await context.addInitScript(`if (window === top) {
        const pages = 1 + Number(sessionStorage.getItem('pages'));
        sessionStorage.setItem('pages', pages);
        const { now } = Date;
        if (pages > 2) Date.now = () => now() + ${days * 86_400_000};
      }`);
      site.challengesAlways = true;
      await page.goto(`${site.url}/`);
      await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
      // The page forgets the two visits before the jump. After the jump there are as many visits as without a jump.
      expect(site.visits).toHaveLength(2 + 4);
    },
  );
});

describe('without scripts', () => {
  test('the page shows only the text for visitors without scripts', async () => {
    const contextWithoutScripts = await browser.newContext({ javaScriptEnabled: false });
    const pageWithoutScripts = await contextWithoutScripts.newPage();
    await pageWithoutScripts.goto(`${site.url}/`);
    expect(await pageWithoutScripts.isVisible('noscript h1')).toBe(true);
    expect(await pageWithoutScripts.isVisible('[data-screen]')).toBe(false);
    await contextWithoutScripts.close();
  });
});
