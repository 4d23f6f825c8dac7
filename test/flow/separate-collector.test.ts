import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ValidateResponse } from '@guard/config/contract/validate-response';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { disguise } from '../kit/driven-chromium.ts';
import { send } from '../kit/http.ts';
import { launchPlain } from '../kit/plain-chromium.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { SECRET_KEY, storySettings } from '../kit/story-settings.ts';

/**
 * A backend that asks `POST /validate` itself (contract 4.1): its visitors' challenge pages lie under its own
 * name and upload to the collector under another. The driven browser arrives because the rule only monitors.
 */

const rules = [{ name: 'all', match: {}, detect: true, challenge: 'always', monitor: true }];

let product: Product;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the backend answered to whom, as `decision path`. */
const answered: string[] = [];
const backend = createServer((request, response) => void serve(request, response));
let site: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([
    startProduct(storySettings('http://127.0.0.1:9', { rules, top: { analytics: undefined } })),
    launchPlain(),
  ]);
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  // A server that listens on TCP has an AddressInfo.
  site = `http://localhost:${(backend.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  backend.closeAllConnections();
  backend.close();
  await product.stop();
});

beforeEach(async () => {
  answered.length = 0;
  context = await browser.newContext(disguise(browser));
  page = await context.newPage();
});
afterEach(() => context.close());

/** Contract 4.1, rules 1 to 4. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const described = { url: site + url, ip: '127.0.0.1', method, headers };
  const { body } = await send(`${product.addresses.validator}/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': SECRET_KEY },
    body: JSON.stringify(described),
  });
  const answer = ValidateResponse.parse(JSON.parse(body));
  if (url !== '/favicon.ico') answered.push(`${answer.decision} ${url}`);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.setHeader(
    'Set-Cookie',
    (answer.cookies ?? []).map(
      ({ name, value, path, same_site, max_age, secure }) =>
        `${name}=${value}; Path=${path}; SameSite=${same_site}; Max-Age=${max_age}${secure ? '; Secure' : ''}`,
    ),
  );
  response.statusCode = answer.status_code ?? 403;
  response.end(
    answer.decision === 'allow'
      ? '<h1>the backend</h1>'
      : Buffer.from(answer.response_html ?? '', 'base64'),
  );
}

describe('contract 3 and 4.7: a challenge page that uploads to a collector of another host', () => {
  test('is answered there, and its visitor arrives after one reload of the same URL', async () => {
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
    expect(answered).toEqual(['redirect /basket?of=ada', 'allow /basket?of=ada']);
    expect(uploads).toEqual([`${product.addresses.collector}/verify`]);
    // Neither CORS nor the page's own Content-Security-Policy had an objection.
    expect(errors).toEqual([]);
  });

  test('while that host is away: the retry screen, the failure screen with its code, and no loop', async () => {
    await page.route('**/verify', (route) => route.abort('connectionrefused'));
    await page.goto(`${site}/basket`);
    await page.waitForSelector('text=The check did not finish', { state: 'visible' });
    await page.click('button:visible');
    await page.waitForSelector('text=Your browser could not be checked', { state: 'visible' });
    expect(await page.textContent('footer code')).toMatch(/^[0-9A-Z]{8}$/);
    expect(answered).toEqual(['redirect /basket']);
  });

  test('"CORS for the upload only": pages read nothing else of it', async () => {
    const { collector } = product.addresses;
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
