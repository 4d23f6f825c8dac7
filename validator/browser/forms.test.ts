import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { startSite, type Site } from './testing/test-site.ts';

/**
 * The visitor sends a form, and gets a challenge (contract 3). Chromium's location.reload() sends the form again
 * without asking, and the page that called it becomes the sender. This is right for forms of the site. It would be a
 * forgery for forms of other sites.
 */

let browser: Browser;
let context: BrowserContext;
let page: Page;
let site: Site;
let otherSite: Site;

beforeAll(async () => {
  browser = await launchPlain();
});
afterAll(() => browser.close());

beforeEach(async () => {
  [site, otherSite] = await Promise.all([startSite(), startSite()]);
  context = await browser.newContext({ locale: 'en-US' });
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  for (const { server } of [site, otherSite]) {
    server.closeAllConnections();
    server.close();
  }
});

const postVisits = () => site.visits.filter(({ method }) => method === 'POST');
/** The URL of the other site. The same machine under another name is another site for a browser. */
const otherSiteUrl = () => otherSite.url.replace('127.0.0.1', 'localhost');

describe('contract 3: a form of the site itself', () => {
  test('is sent again once by the browser, with its files, and arrives', async () => {
    await page.goto(`${site.url}/form`);
    await page.click('button');
    await page.waitForSelector('text=the origin');
    expect(postVisits().map(({ answered }) => answered)).toEqual(['challenge', 'origin']);
    const [challenged, arrived] = postVisits();
    expect(arrived?.body).toBe(challenged?.body);
    expect(arrived?.body).toContain('name="user"\r\n\r\nada');
    expect(arrived?.body).toContain('the file itself');
  });

  test('stays in the browser, and is not in the challenge page', async () => {
    site.intercept = (response) => response.writeHead(503).end();
    await page.goto(`${site.url}/form`);
    await page.click('button');
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    expect(await page.content()).not.toContain('the file itself');
    site.intercept = undefined;
    await page.click('button:visible');
    await page.waitForSelector('text=the origin');
    expect(postVisits().at(-1)?.body).toContain('the file itself');
  });

  test('leads to a screen with two buttons when the browser did not send the form again', async () => {
    site.formsDeclined = 1;
    await page.goto(`${site.url}/form`);
    await page.click('button');
    await page.waitForSelector('h1:text("Sending your form")', { state: 'visible' });
    expect(await page.locator('button:visible').allTextContents()).toEqual([
      'Send the form',
      'Go back',
    ]);
    await page.click('button:text("Send the form")');
    await page.waitForSelector('text=the origin');
    expect(postVisits().at(-1)?.body).toContain('the file itself');
  });

  test('still has its input after the back button', async () => {
    site.formsDeclined = 1;
    await page.goto(`${site.url}/form`);
    await page.fill('[name=user]', 'grace');
    await page.click('button');
    await page.click('button:text("Go back")');
    await page.waitForSelector('text=a form');
    expect(await page.inputValue('[name=user]')).toBe('grace');
  });
});

describe('a form of another site (CSRF)', () => {
  test('never becomes a form of this site, because it is not sent again', async () => {
    await page.goto(`${otherSiteUrl()}/form?to=${site.url}`);
    await page.click('button');
    await page.waitForSelector('text=Please send it once more', { state: 'visible' });
    expect(postVisits().map(({ answered, origin }) => [answered, origin])).toEqual([
      ['challenge', otherSiteUrl()],
    ]);
    expect(site.outcomes).toHaveLength(1);
  });

  test('arrives when its own site sends it again, and a button leads back to that site', async () => {
    await page.goto(`${otherSiteUrl()}/form?to=${site.url}`);
    await page.click('button');
    await page.click('button:visible');
    await page.waitForSelector('text=a form');
    await page.click('button');
    await page.waitForSelector('text=the origin');
    expect(postVisits().map(({ answered, origin }) => [answered, origin])).toEqual([
      ['challenge', otherSiteUrl()],
      ['origin', otherSiteUrl()],
    ]);
    expect(postVisits().at(-1)?.body).toContain('the file itself');
  });

  test.each(['failed', 'no_session', 'retry'])(
    'has no button that sends it again when the check ends with %s',
    async (result) => {
      site.intercept = (response) => response.end(JSON.stringify({ result }));
      await page.goto(`${otherSiteUrl()}/form?to=${site.url}`);
      await page.click('button');
      const back = page.locator('button:visible');
      await back.waitFor();
      expect(await back.allTextContents()).toEqual(['Go back']);
      expect(postVisits()).toHaveLength(1);
    },
  );

  test('a form with a payment or SAML answer arrives at once when the visitor has passed before', async () => {
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=the origin');
    await page.goto(`${otherSiteUrl()}/form?to=${site.url}`);
    await page.click('button');
    await page.waitForSelector('text=the origin');
    expect(postVisits().map(({ answered, origin }) => [answered, origin])).toEqual([
      ['origin', otherSiteUrl()],
    ]);
  });
});
