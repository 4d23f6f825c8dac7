import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Upload } from '../../validator/page-contract/evidence.ts';
import { isWorkDone } from '../../validator/src/challenge/work/check-work.ts';
import { contextOptionsFor } from '../kit/browsers/driven-chromium.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { type ScriptSite, SITE_KEY, startScriptSite } from './script-site.ts';

/**
 * These tests run the browser script on pages of a site, in a real browser, with the started product. The browser is
 * driven. This changes the judgement, but not the answers to the script.
 */

let site: ScriptSite;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Requests of the page to the collector, as `METHOD path`. */
let collectedUrls: string[];

beforeAll(async () => {
  [site, browser] = await Promise.all([startScriptSite({ analytics: undefined }), launchPlain()]);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

beforeEach(async () => {
  collectedUrls = [];
  context = await browser.newContext(contextOptionsFor(browser));
  page = await context.newPage();
  page.on('request', recordRequest);
});
afterEach(() => context.close());

function recordRequest(request: Request): void {
  const { pathname } = new URL(request.url());
  const path = /\/(session|verify)$/.exec(pathname)?.[0];
  if (path !== undefined && request.method() === 'POST') collectedUrls.push(path);
}

const visit = (path: string) => page.goto(site.url + path);
// waitForFunction is not used, because it polls by eval, and the policy of a page can forbid eval.
const finished = () =>
  expect.poll(() => page.evaluate('window.guard && window.guard.initialized')).toBe(true);
const events = () => page.evaluate('window.events');
const errors = () => page.evaluate('window.errors');
const guardCookie = async () =>
  (await context.cookies()).filter(({ name }) => name === '_guard')[0];

describe('6 "GuardInitialized is dispatched on window after the script’s payload upload succeeds"', () => {
  test.each(['/open', '/elsewhere'])(
    'once, when window.guard.initialized is true: script of %s',
    async (path) => {
      await visit(path);
      await finished();
      expect(await events()).toEqual([[true, true]]);
      expect(collectedUrls).toEqual(['/session', '/verify']);
      expect(await errors()).toEqual([]);
    },
  );

  test.each(['/open', '/elsewhere'])(
    'after the work that the service requires, with the same upload: script of %s',
    async (path) => {
      const task = '2.AAAAAAAAAAAAAAAAAAAAAA';
      const uploads: Partial<Upload>[] = [];
      await page.route('**/verify', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        uploads.push(route.request().postDataJSON() as Upload);
        const isFirst = uploads.length === 1;
        const headers = { 'Access-Control-Allow-Origin': '*' };
        const answer = isFirst ? { result: 'work', task } : { result: 'reload' };
        return route.fulfill({ headers, contentType: 'application/json', json: answer });
      });
      await visit(path);
      await finished();
      const [first, second] = uploads;
      expect(second).toEqual({ ...first, work: second?.work });
      expect(await isWorkDone(task, second?.work?.counter ?? -1, 2)).toBe(true);
      expect(await events()).toEqual([[true, true]]);
      expect(await errors()).toEqual([]);
    },
  );

  test('"a failed upload is not retried, so the event may never fire"', async () => {
    await page.route('**/verify', (route) => route.fulfill({ status: 503 }));
    await visit('/open');
    await finished();
    expect(collectedUrls).toEqual(['/session', '/verify']);
    expect(await events()).toEqual([]);
    expect(await errors()).toEqual([]);
  });

  test.each([
    ['no connection', (page_: Page) => page_.route('**/session*', (route) => route.abort())],
    [
      'an answer of a proxy in front of the service',
      (page_: Page) =>
        page_.route('**/session*', (route) => route.fulfill({ body: '<html>Log in</html>' })),
    ],
    [
      'an answer in another form',
      (page_: Page) =>
        page_.route('**/session*', (route) => route.fulfill({ json: { ticket: 1, cookie: {} } })),
    ],
  ])(
    'when the request for a session gets %s, the script ends without an upload and without an error in the page',
    async (_what, intercept) => {
      await intercept(page);
      await visit('/open');
      await finished();
      expect(collectedUrls).toEqual(['/session']);
      expect(await events()).toEqual([]);
      expect(await errors()).toEqual([]);
      expect(await guardCookie()).toBeUndefined();
    },
  );
});

describe('4.7 "sets a first-party _guard cookie"', () => {
  test('on the host of the page, with the attributes that the service gives it', async () => {
    await visit('/elsewhere');
    await finished();
    const cookie = await guardCookie();
    expect(cookie).toMatchObject({
      domain: '127.0.0.1',
      path: '/',
      httpOnly: false,
      secure: false,
      sameSite: 'Lax',
    });
    expect(cookie?.value).toMatch(/^[0-9a-f-]{36}$/);
    const days = ((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400;
    expect(Math.round(days)).toBe(30);
  });

  test('on https the cookie is Secure, as the service requires', async () => {
    const script = await (await fetch(`${site.url}/.guard/script.js?site_key=${SITE_KEY}`)).text();
    const cookie = { name: '_guard', path: '/', secure: true, same_site: 'None', max_age: 60 };
    const opened = {
      ticket: 'ticket',
      sheet: '',
      cookie: { ...cookie, value: randomUUID() },
    };
    await page.route('https://shop.example/**', (route) => {
      const { pathname } = new URL(route.request().url());
      switch (pathname) {
        case '/.guard/script.js':
          return route.fulfill({ contentType: 'text/javascript', body: script });
        case '/.guard/session':
          return route.fulfill({ json: opened });
        case '/.guard/verify':
          return route.fulfill({ body: '{"result":"reload"}' });
        default: {
          const tag = `<script defer src="/.guard/script.js?site_key=${SITE_KEY}"></script>`;
          return route.fulfill({ contentType: 'text/html', body: tag });
        }
      }
    });
    await page.goto('https://shop.example/');
    await finished();
    expect(await guardCookie()).toMatchObject({
      value: opened.cookie.value,
      domain: 'shop.example',
      secure: true,
      sameSite: 'None',
    });
  });

  test('a session that the service has set is kept, and the script does not write its cookie again', async () => {
    // The gateway has set the cookie with its challenge.
    await page.route('**/verify', (route) => route.fulfill({ status: 503 }));
    await visit('/vault/first');
    const before = await guardCookie();
    expect(before?.value).toMatch(/^[0-9a-f-]{36}$/);
    await visit('/open');
    await finished();
    // The time of expiry is also the same.
    expect(await guardCookie()).toEqual(before);
  });

  test('where cookies are blocked, the script ends without an error and uploads nothing', async () => {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setDocumentCookieDisabled', { disabled: true });
    await visit('/open');
    await finished();
    expect(collectedUrls).toEqual(['/session']);
    expect([await events(), await errors()]).toEqual([[], []]);
  });

  test('in a sandboxed frame, where cookies and storage throw, the script ends without an error', async () => {
    await visit('/without-a-script');
    await page.setContent(`<iframe sandbox="allow-scripts" src="${site.url}/open"></iframe>`);
    const frame = page.frames()[1];
    await frame?.waitForFunction('window.guard && window.guard.initialized === true');
    expect(await frame?.evaluate('[window.events, window.errors]')).toEqual([[], []]);
  });
});

describe('4.7 "collection happens once per full document load, with no hook on client-side navigation"', () => {
  test('a page that includes the script twice runs it once', async () => {
    await visit('/twice');
    await finished();
    await page.waitForLoadState('networkidle');
    expect(collectedUrls).toEqual(['/session', '/verify']);
    expect(await events()).toHaveLength(1);
  });

  test('a navigation inside a single-page app does not run the script again', async () => {
    await visit('/open');
    await finished();
    await page.evaluate("history.pushState({}, '', '/open/next'); location.hash = 'there'");
    // Some routers load the script again with each view.
    await page.evaluate(
      "document.head.append(Object.assign(document.createElement('script'), { src: document.querySelector('script[src]').src }))",
    );
    await page.waitForLoadState('networkidle');
    expect(collectedUrls).toEqual(['/session', '/verify']);
  });

  test('a new document runs the script again, with the same session', async () => {
    await visit('/open');
    await finished();
    const first = await guardCookie();
    // By this time the session of the driven browser is rejected. The script asks for a session, and its evidence is
    // not judged again.
    await visit('/open');
    await finished();
    expect(collectedUrls).toEqual(['/session', '/verify', '/session']);
    expect((await guardCookie())?.value).toBe(first?.value);
  });
});

describe('the script does not change the page', () => {
  test('window.guard is its only global, and is frozen', async () => {
    await visit('/open');
    await finished();
    const tagCount = await page.evaluate(
      "Object.getOwnPropertyNames(window).filter((name) => !before.includes(name) && !['before', 'events', 'errors', 'persisted'].includes(name))",
    );
    expect(tagCount).toEqual(['guard']);
    expect(await page.evaluate('Object.isFrozen(guard)')).toBe(true);
    expect(await page.evaluate('Object.keys(guard)')).toEqual(['initialized']);
    expect(await page.evaluate('guard.initialized = false; guard.initialized')).toBe(true);
  });

  test.each(['let guard = 5', 'var guard = 5', 'function guard() {}', '"use strict"; guard = 5'])(
    'the page may have a later script that contains `%s`',
    async (content) => {
      await visit('/open');
      await finished();
      await page.addScriptTag({ content: `${content}; window.later = guard;` });
      expect(await page.evaluate('later === 5 || typeof later')).toBe(
        content.includes('function') ? 'function' : true,
      );
      expect(await errors()).toEqual([]);
    },
  );

  test('a page with its own `window.guard` keeps this value, and the script does nothing', async () => {
    await visit('/own-guard');
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('window.guard')).toBe('mine');
    expect(collectedUrls).toEqual([]);
  });

  test('with a Content-Security-Policy that forbids the collector, the script ends without an error', async () => {
    await visit('/no-connect');
    await finished();
    expect([await events(), await errors()]).toEqual([[], []]);
  });

  test('with a wrong site key nothing is collected, and window.guard never appears', async () => {
    await visit('/wrong-key');
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('typeof window.guard')).toBe('undefined');
    expect(collectedUrls).toEqual([]);
    expect(await errors()).toEqual([]);
  });

  test.each(['fetch', 'AbortController', 'Worker', 'sessionStorage'])(
    'without %s the script ends without an error',
    async (name) => {
      await context.addInitScript(
        `Object.defineProperty(window, '${name}', { get: () => { throw new Error('taken away'); } })`,
      );
      await visit('/open');
      await finished();
      expect(await errors()).toEqual([]);
    },
  );

  test('a browser without idle callbacks (Safari) also runs the script', async () => {
    await context.addInitScript('delete window.requestIdleCallback');
    await visit('/open');
    await finished();
    expect(await events()).toEqual([[true, true]]);
  });

  test('the load event does not wait for the script', async () => {
    let release: () => void = () => undefined;
    const heldAnswer = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/session*', async (route) => {
      await heldAnswer;
      await route.abort();
    });
    // goto resolves with the load event.
    await visit('/open');
    expect(await page.evaluate('document.readyState')).toBe('complete');
    expect(await page.evaluate('guard.initialized')).toBe(false);
    release();
    await finished();
  });
});
