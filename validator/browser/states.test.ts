import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { startSite, type Site } from './testing/test-site.ts';

/** Actions of people, and slow connections, while a page checks a browser. The tests count visits to find loops. */

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

const answeredVisits = () => site.visits.map((visit) => `${visit.answered} ${visit.url}`);

describe('contract 3: one reload of the same URL', () => {
  test('a page with a name and password in its URL passes, because no request of the page repeats them', async () => {
    const files: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/.guard/witness')) files.push(response.status());
    });
    await page.goto(`${site.url.replace('//', '//ada:secret@')}/shop`);
    await page.waitForSelector('text=the origin');
    expect(files).toContain(200);
    expect(answeredVisits()).toEqual(['challenge /shop', 'origin /shop']);
  });

  test('after a pass, the back button leads to the previous page and to no challenge', async () => {
    await page.goto(`${site.url}/form`);
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    await page.goBack();
    await page.waitForSelector('text=a form');
    await page.goForward();
    await page.waitForSelector('text=the origin');
    expect(answeredVisits().filter((visit) => visit.startsWith('challenge'))).toEqual([
      'challenge /shop',
    ]);
  });

  test('a page whose URL is a file to save says that the check is over, and leads back', async () => {
    site.sendsFile = true;
    await page.goto(`${site.url}/form`);
    await page.goto(`${site.url}/export`);
    await page.waitForEvent('download');
    await page.click('section:has(h1:text("Your browser was checked")) button:text("Go back")');
    await page.waitForSelector('text=a form');
    expect(answeredVisits()).toEqual(['challenge /export', 'origin /export']);
  });

  test('a page that was left during its check finishes the check when people come back', async () => {
    let dropUpload: (() => void) | undefined;
    site.intercept = (response) => (dropUpload = () => response.destroy());
    await page.goto(`${site.url}/shop`);
    await expect.poll(() => dropUpload).toBeDefined();
    await page.goto(`${site.url}/form`);
    site.intercept = undefined;
    await page.goBack();
    await page.waitForSelector('text=the origin');
    expect(site.visits.filter((visit) => visit.answered === 'origin')).toHaveLength(1);
    expect(site.visits.length).toBeLessThanOrEqual(3);
  });

  test('a page that a visitor leaves before the answer reports this, and a page with an answer does not', async () => {
    site.intercept = (response) => response.destroy();
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    site.intercept = undefined;
    await page.goto(`${site.url}/form`);
    await expect.poll(() => site.outcomes.map(({ kind }) => kind)).toEqual(['left']);
    expect(site.outcomes).toMatchObject([
      { organisation: 'acme', reasons: ['challenge_abandoned'] },
    ]);

    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    await page.goto(`${site.url}/form`);
    // The second page got its answer (this driven browser is rejected), so it reports nothing.
    expect(site.outcomes.map(({ kind }) => kind)).toEqual(['left', 'rejected']);
  });

  test('a page from the back/forward cache checks again', async () => {
    site.intercept = (response) => response.writeHead(503).end();
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    site.intercept = undefined;
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await page.waitForSelector('text=the origin');
    expect(answeredVisits()).toEqual(['challenge /shop', 'origin /shop']);
  });

  test('a slow connection (400 ms, 50 kB/s: "slow 3G") causes no extra visits', async () => {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    expect(answeredVisits()).toEqual(['challenge /shop', 'origin /shop']);
    expect(site.outcomes).toHaveLength(1);
  });

  test('five tabs opened at once all reach the site, with few additional visits', async () => {
    const tabs = await Promise.all([1, 2, 3, 4, 5].map(() => context.newPage()));
    await Promise.all(tabs.map((tab, at) => tab.goto(`${site.url}/tab-${at}`)));
    await Promise.all(tabs.map((tab) => tab.waitForSelector('text=the origin')));
    // Each tab visits at most four times: its challenge, at most two more with the session of another tab, and its
    // arrival.
    expect(site.visits.length).toBeLessThanOrEqual(20);
  });

  test('a file that is loaded during a check causes no additional visit', async () => {
    let statuses: unknown;
    await page.route('**/.guard/verify', async (route) => {
      statuses = await page.evaluate(
        "Promise.all(['/cart', '/logo.png'].map((path) => fetch(path).then(({ status }) => status)))",
      );
      await route.continue();
    });
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    expect(statuses).toEqual([403, 403]);
    expect(answeredVisits().toSorted()).toEqual([
      'challenge /cart',
      'challenge /logo.png',
      'challenge /shop',
      'origin /shop',
    ]);
  });

  test('a file that brings another session during a check causes one additional visit, and no loop', async () => {
    await page.route(
      '**/.guard/verify',
      async (route) => {
        await context.addCookies([{ name: '_guard', value: randomUUID(), url: site.url }]);
        await route.continue();
      },
      { times: 1 },
    );
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=the origin');
    expect(answeredVisits()).toEqual(['challenge /shop', 'challenge /shop', 'origin /shop']);
  });

  test('the fragment and the query do not change', async () => {
    await page.goto(`${site.url}/shop?q=%E2%9C%93&q=2#reviews`);
    await page.waitForSelector('text=the origin');
    expect(page.url()).toBe(`${site.url}/shop?q=%E2%9C%93&q=2#reviews`);
  });
});

describe('a collector that asks the page to wait, or has another version', () => {
  test('after 429 with Retry-After the page shows that it waits, and continues without an action of the person', async () => {
    let uploadCount = 0;
    site.intercept = (response) => {
      uploadCount += 1;
      site.intercept = undefined;
      response.writeHead(429, { 'Retry-After': '2' }).end('{"result":"retry"}');
    };
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=Many checks are coming from your network', {
      state: 'visible',
    });
    await page.waitForSelector('text=the origin');
    expect(uploadCount).toBe(1);
    expect(answeredVisits()).toEqual(['challenge /shop', 'origin /shop']);
  });

  test.each([
    ['an answer that the form is unknown', 400, '{"result":"failed"}'],
    ['an unknown result', 200, '{"result":"later"}'],
  ])('%s leads to three reloads, and then to the failure screen', async (_what, status, body) => {
    site.intercept = (response) => response.writeHead(status).end(body);
    await page.goto(`${site.url}/shop`);
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(answeredVisits()).toEqual(Array.from({ length: 4 }, () => 'challenge /shop'));
  });
});

describe('contract 3: "session unverified"', () => {
  test('the session is challenged again later, and can pass', async () => {
    site.intercept = (response) => response.destroy();
    await page.goto(`${site.url}/shop`);
    await page.click('button:visible');
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    site.intercept = undefined;
    await page.click('button:visible');
    await page.waitForSelector('text=the origin');
    expect(answeredVisits()).toEqual(['challenge /shop', 'challenge /shop', 'origin /shop']);
  });

  test('without cookies there is one visit for each click of a person', async () => {
    site.setsCookie = false;
    await page.goto(`${site.url}/shop`);
    for (const visits of [1, 2, 3]) {
      await page.waitForSelector('text=Cookies are needed here', { state: 'visible' });
      expect(site.visits).toHaveLength(visits);
      await page.click('button:visible');
    }
  });
});

describe('contract 2.8: _guard_ref', () => {
  const storedReferrer = () => page.evaluate("sessionStorage.getItem('_guard_ref')");

  test.each([
    ['https://search.example/find?q=secret#x', 'https://search.example'],
    ['http://search.example:8080/find', 'http://search.example:8080'],
    ['android-app://com.example/', null],
  ])('after a visit from %s it contains %s', async (referer, expected) => {
    await page.addInitScript(
      `Object.defineProperty(document, 'referrer', { get: () => ${JSON.stringify(referer)} })`,
    );
    // The test reads the value on the challenge page, because the origin's page never sets it.
    site.intercept = (response) => response.end('{"result":"failed"}');
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(await storedReferrer()).toBe(expected);
  });

  test('is in no upload', async () => {
    const bodies: (string | null)[] = [];
    page.on('request', (request) => bodies.push(request.postData()));
    await page.goto(`${site.url}/`, { referer: 'https://search.example/find' });
    await page.waitForSelector('text=the origin');
    expect(await storedReferrer()).toBe('https://search.example');
    expect(bodies.filter((body) => body !== null)).toHaveLength(1);
    expect(bodies.join()).not.toContain('search.example');
  });
});
