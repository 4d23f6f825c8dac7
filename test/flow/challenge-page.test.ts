import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ValidateResponse } from '@guard/config/contract/validate-response';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contextOptionsFor } from '../kit/browsers/driven-chromium.ts';
import { send } from '../kit/http.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { serve } from '../kit/serve.ts';
import { SECRET_KEY } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { useProduct } from '../kit/product/use-product.ts';

/**
 * These tests open challenge pages in a browser. Some are behind a backend that asks `POST /validate` itself (contract
 * 4.1); there the page uploads to the collector on another host. One is behind the gateway, with the site's own page.
 * The driven browser passes, because the rule only monitors.
 */

const TEMPLATE = `<!doctype html><html lang="{{lang}}" dir="{{dir}}"><head>{{head}}
<style nonce="{{nonce}}">h2 { letter-spacing: 7px; }</style></head>
<body><h2>Welcome to the harbour</h2><main>{{challenge}}</main></body></html>`;

const pageFile = join(testFolder(), 'page.html');
writeFileSync(pageFile, TEMPLATE);
const rules = [{ name: 'all', match: {}, detect: true, challenge: 'always', monitor: true }];
const ownSettings = { branding: { accent: '#0a7d4f' }, challenge_page: pageFile };
const testbed = useProduct({
  rules,
  organisations: [{ id: 'own', rules, ...ownSettings }],
  sites: [{ hosts: ['own.localhost'], organisation: 'own' }],
  top: { analytics: undefined },
});

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** The decisions that the backend got, each as `decision path`. */
const answers: string[] = [];
let site: string;

beforeAll(async () => {
  browser = await launchPlain();
  const backend = await serve((request, response) => void answer(request, response), afterAll);
  site = backend.replace('127.0.0.1', 'localhost');
});
afterAll(() => browser.close());

beforeEach(async () => {
  answers.length = 0;
  context = await browser.newContext(contextOptionsFor(browser));
  page = await context.newPage();
});
afterEach(() => context.close());

/** Enforces a decision by contract 4.1, rules 1 to 4. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const description = { url: site + url, ip: '127.0.0.1', method, headers };
  const { body } = await send(`${testbed.product.addresses.validator}/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': SECRET_KEY },
    body: JSON.stringify(description),
  });
  const decision = ValidateResponse.parse(JSON.parse(body));
  if (url !== '/favicon.ico') answers.push(`${decision.decision} ${url}`);
  for (const [name, value] of Object.entries(decision.headers ?? {}))
    response.setHeader(name, value);
  response.setHeader(
    'Set-Cookie',
    (decision.cookies ?? []).map(
      ({ name, value, path, same_site, max_age, secure }) =>
        `${name}=${value}; Path=${path}; SameSite=${same_site}; Max-Age=${max_age}${secure ? '; Secure' : ''}`,
    ),
  );
  response.statusCode = decision.status_code ?? 403;
  response.end(
    decision.decision === 'allow'
      ? '<h1>the backend</h1>'
      : Buffer.from(decision.response_html ?? '', 'base64'),
  );
}

describe('contract 3 and 4.7: a challenge page that uploads to a collector of another host', () => {
  test('leads the visitor to the page after one upload and one reload of the same URL', async () => {
    const uploads: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') uploads.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('403')) {
        errors.push(message.text());
      }
    });
    await page.goto(`${site}/basket?of=ada#end`);
    await page.waitForSelector('text=the backend');
    expect(page.url()).toBe(`${site}/basket?of=ada#end`);
    expect(answers).toEqual(['redirect /basket?of=ada', 'allow /basket?of=ada']);
    expect(uploads).toEqual([`${testbed.product.addresses.collector}/verify`]);
    // Neither CORS nor the Content-Security-Policy of the page stopped a request.
    expect(errors).toEqual([]);
  });

  test("shows the retry screen, then the failure screen with its code, and no loop, while the collector's host is away", async () => {
    await page.route('**/verify', (route) => route.abort('connectionrefused'));
    await page.goto(`${site}/basket`);
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    await page.click('button:visible');
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(await page.textContent('footer code')).toMatch(/^[0-9A-Z]{8}$/);
    expect(answers).toEqual(['redirect /basket']);
  });

  test('"CORS for the upload only": a page can read no other answer of the collector', async () => {
    const { collector } = testbed.product.addresses;
    const paths = ['/', '/health', '/script.js?site_key=x', '/echo', '/session?site_key=x'];
    await page.route(`${site}/`, (route) => route.fulfill({ body: '<h1>a page</h1>' }));
    await page.goto(`${site}/`);
    for (const path of paths) {
      const url = JSON.stringify(collector + path);
      expect(await page.evaluate(`fetch(${url}).then(() => 'read', () => 'refused')`)).toBe(
        'refused',
      );
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const { headers } = await send(collector + path, { method, headers: { origin: site } });
        const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
        expect(names, `${method} ${path}`).toEqual([]);
      }
    }
    const upload = await send(`${collector}/verify`, {
      method: 'OPTIONS',
      headers: { origin: site },
    });
    expect(upload.headers).toMatchObject({
      'access-control-allow-origin': site,
      'access-control-allow-methods': 'POST',
    });
    expect(upload.headers).not.toHaveProperty('access-control-allow-credentials');
  });
});

test.each([
  ['gzip, deflate, br, zstd', 'gzip'],
  ['br, gzip;q=0', undefined],
  ['', undefined],
])('for "Accept-Encoding: %s" the page has the Content-Encoding %s', async (accepted, coding) => {
  const headers = { accept: 'text/html', 'accept-encoding': accepted };
  const servedPage = await send(`${testbed.product.addresses.gateway}/`, { headers });
  expect(servedPage.headers['content-encoding']).toBe(coding);
  expect(servedPage.body).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  const length = Number(servedPage.headers['content-length']);
  if (coding === undefined) expect(length).toBe(Buffer.byteLength(servedPage.body));
  else expect(length).toBeLessThan(15_000);
});

test('a browser passes the challenge in a frame of a page with a Cross-Origin-Embedder-Policy', async () => {
  const { gateway } = testbed.product.addresses;
  await page.route(`${gateway}/isolated`, (route) =>
    route.fulfill({
      headers: {
        'content-type': 'text/html',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      },
      body: '<iframe src="/in-isolated"></iframe>',
    }),
  );
  const inside = testbed.origin.arrival('/in-isolated');
  await page.goto(`${gateway}/isolated`);
  expect(await page.evaluate('crossOriginIsolated')).toBe(true);
  await inside;
});

test('contract 3: the visitor sees the page and the colour of guard.yaml, and the challenge runs in this page', async () => {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.route('**/.guard/verify', (route) => route.abort());
  await page.goto(
    `${testbed.product.addresses.gateway.replace('127.0.0.1', 'own.localhost')}/shelf`,
  );
  await page.waitForSelector('text=The check did not finish', { state: 'visible' });
  expect(await page.isVisible('h2:text("Welcome to the harbour")')).toBe(true);
  const styles = `[getComputedStyle(document.querySelector('h2')).letterSpacing,
    getComputedStyle(document.querySelector('[data-screen=retry] button')).backgroundColor]`;
  expect(await page.evaluate(styles)).toEqual(['7px', 'rgb(10, 125, 79)']);
  await page.unroute('**/.guard/verify');
  await page.click('button:visible');
  await page.getByText('The origin has answered').waitFor();
  expect(testbed.origin.arrivals.map(({ url }) => url)).toContain('/shelf');
  // The console reports the aborted uploads, and no violation of the page's policy.
  expect(errors.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});
