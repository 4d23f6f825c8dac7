import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contextOptionsFor, launchDriven } from '../kit/browsers/driven-chromium.ts';
import { poll } from '../kit/http.ts';
import { forwardTo, type HttpsFront, startHttps } from '../kit/peers/https-front.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { serve } from '../kit/serve.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasOpenssl, hasWindowedChromium } from '../kit/tools.ts';
import { openInWindow } from '../kit/browsers/windowed-chromium.ts';

/**
 * In these tests, browsers of people, without a driver, send forms from pages. Each form arrives once and complete, and
 * no browser is challenged again and again. A browser with a service worker passes too. With the code on the failure
 * screen, SQL finds the request.
 */

interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Pages of the origin by path. `to URL` is a redirect. Other paths have a page with one heading. */
const pages = new Map<string, string>();
const arrivals: Arrival[] = [];
let product: Product;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = Buffer.concat(await request.toArray()).toString();
  arrivals.push({ method, url, headers, body });
  const page = pages.get(url) ?? '<h1>arrived</h1>';
  const [, location] = /^to (.+)$/.exec(page) ?? [];
  if (location !== undefined) response.writeHead(302, { location }).end();
  else {
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type }).end(page);
  }
}

beforeAll(async () => {
  const origin = await serve((request, response) => void answer(request, response), afterAll);
  // A browser asks for the icon beside a page. If both requests are challenged, the browser can use the cookie from the
  // icon for the page. That leads to one more challenge (contract 3).
  const site = { skip: ['/open/**', '/service.js', '/favicon.ico'] };
  product = await startProduct(productSettings(origin, { site }));
});
afterAll(() => product.stop());

/** A page whose script immediately sends a form with a text and a file. */
function formTo(action: string): string {
  return `<form method="post" enctype="multipart/form-data" action="${action}"><input name="user" value="ada"><input type="file" name="photo"></form>
<script>const chosen = new DataTransfer(); chosen.items.add(new File(['the file itself'], 'a.txt'));
document.querySelector('[type=file]').files = chosen.files; document.forms[0].submit();</script>`;
}

const arrivalsAt = (path: string) => arrivals.filter(({ url }) => url === path);
const whenArrived = (path: string) =>
  poll(
    () => Promise.resolve(arrivalsAt(path)),
    (found) => found.length > 0,
  );

interface Row {
  readonly action: string;
  readonly block_reasons: readonly string[];
}

/** Waits until a path has `count` events, and returns them, oldest first. */
const eventsOn = (path: string, count: number) =>
  poll(
    () =>
      rowsOf<Row>(
        product,
        `SELECT action, block_reasons FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND path = '${path}' ORDER BY created_at`,
      ),
    (found) => found.length >= count,
  );
const actionsOn = async (path: string, count: number) =>
  (await eventsOn(path, count)).map(({ action }) => action);

/** The number of passed challenges so far. */
const passes = () => metricOf(product, 'guard_challenges_total{result="verified"}');

describe.skipIf(!hasWindowedChromium)("contract 3: a form in a person's browser", () => {
  test('that meets the challenge arrives once, with its file', async () => {
    pages.set('/open/form', formTo('/order'));
    const browser = await openInWindow(`${product.addresses.gateway}/open/form`);
    try {
      await whenArrived('/order');
      expect(await actionsOn('/order', 2)).toEqual(['challenge', 'allow']);
    } finally {
      await browser.close();
    }
    const [order, ...more] = arrivalsAt('/order');
    expect(more).toEqual([]);
    expect(order).toMatchObject({ method: 'POST' });
    expect(order?.body).toContain('the file itself');
  });

  test('from another site is not sent again as a form of this site', async () => {
    pages.set('/open/attack', formTo(`${product.addresses.gateway}/transfer`));
    // Under another host name, the same page is another site.
    const localhostUrl = product.addresses.gateway.replace('127.0.0.1', 'localhost');
    const passesBefore = await passes();
    const browser = await openInWindow(`${localhostUrl}/open/attack`);
    try {
      expect(await actionsOn('/transfer', 1)).toEqual(['challenge']);
      // After the pass, a page of this site would send the form again.
      await poll(passes, (now) => now > passesBefore, 60_000);
    } finally {
      await browser.close();
    }
    expect(await actionsOn('/transfer', 1)).toEqual(['challenge']);
    expect(arrivalsAt('/transfer')).toEqual([]);
  }, 120_000);
});

/** On this unprotected page the browser gets the service worker, as on an earlier visit. */
const workerPage = (next: string) => `<!doctype html><title>First</title><script type="module">
await navigator.serviceWorker.register('/service.js');
await navigator.serviceWorker.ready;
if (!navigator.serviceWorker.controller) {
  await new Promise((end) => navigator.serviceWorker.addEventListener('controllerchange', end));
}
location.href = '${next}';
</script>`;
const SERVICE_WORKER = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
`;
const FORWARDS = `self.addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));`;
const STORES_EVERY_ANSWER = `async function answerTo(request) {
  const stored = await caches.match(request);
  if (stored) return stored;
  const answer = await fetch(request);
  const copy = answer.clone();
  void caches.open('all').then((cache) => cache.put(request, copy));
  return answer;
}
self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(answerTo(event.request));
});`;

test.skipIf(!hasWindowedChromium).each([
  ['forwards each request', FORWARDS, '/shop'],
  ['stores every answer', STORES_EVERY_ANSWER, '/stored'],
])(
  'a person without a pass and with a service worker that %s sees the challenge in Chromium, and passes it',
  async (_what, worker, path) => {
    pages.set('/service.js', SERVICE_WORKER + worker);
    pages.set('/open/first', workerPage(path));
    const browser = await openInWindow(`${product.addresses.gateway}/open/first`);
    try {
      const [shop] = await whenArrived(path);
      // The service worker changes the destination of the request. If the destination were `document`, this test would
      // prove nothing.
      expect(shop?.headers).toMatchObject({
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'empty',
      });
      expect(await eventsOn(path, 2)).toEqual([
        { action: 'challenge', block_reasons: [] },
        { action: 'allow', block_reasons: [] },
      ]);
    } finally {
      await browser.close();
    }
  },
);

describe.skipIf(!hasWindowedChromium || !hasOpenssl)('contract 2.3: the cookie over https', () => {
  let shop: HttpsFront;
  let payment: HttpsFront;
  const IGNORE_CERTIFICATE = ['--ignore-certificate-errors'];

  beforeAll(async () => {
    shop = await startHttps(forwardTo(product.addresses.gateway));
    payment = await startHttps((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(formTo(`https://localhost:${shop.port}/paid`));
    });
  });
  afterAll(() => Promise.all([shop.close(), payment.close()]));

  test('the return from a payment provider arrives at once: a cross-site POST sends a cookie with SameSite=None', async () => {
    const next = `https://127.0.0.1:${payment.port}/pay`;
    pages.set('/checkout', `<script>location.href = ${JSON.stringify(next)}</script>`);
    const browser = await openInWindow(
      `https://localhost:${shop.port}/checkout`,
      IGNORE_CERTIFICATE,
    );
    try {
      const [paid] = await whenArrived('/paid');
      expect(paid).toMatchObject({ method: 'POST' });
      expect(paid?.headers.cookie).toContain('_guard=');
      expect(paid?.body).toContain('the file itself');
      expect(await actionsOn('/paid', 1)).toEqual(['allow']);
    } finally {
      await browser.close();
    }
  });

  test('a redirect from http to https leads to one challenge on each, and to no loop', async () => {
    pages.set('/hop', `to https://localhost:${shop.port}/landed`);
    const start = product.addresses.gateway.replace('127.0.0.1', 'localhost');
    const browser = await openInWindow(`${start}/hop`, IGNORE_CERTIFICATE);
    try {
      await whenArrived('/landed');
      expect(await actionsOn('/landed', 2)).toEqual(['challenge', 'allow']);
      expect(await actionsOn('/hop', 2)).toEqual(['challenge', 'allow']);
    } finally {
      await browser.close();
    }
  });
});

describe('contract 3: "a failure screen with a support reference code"', () => {
  test('the code on the screen finds the request in SQL; a fetch at the same time gets problem details', async () => {
    const browser = await launchDriven();
    try {
      const context = await browser.newContext(contextOptionsFor(browser));
      const page = await context.newPage();
      await page.route('**/.guard/verify', (route) => route.abort());
      await page.goto(`${product.addresses.gateway}/unlucky`);
      await page.click('button:visible');
      await page.waitForSelector('h1:text("Your browser could not be checked")', {
        state: 'visible',
      });
      const code = await page.textContent('footer code');
      expect(code).toMatch(/^[0-9A-Z]{8}$/);
      const fetchResult = await page.evaluate<unknown>(
        "fetch('/api/cart').then((r) => [r.status, r.headers.get('content-type')])",
      );
      expect(fetchResult).toEqual([403, 'application/problem+json']);
      expect(await page.locator('h1:visible').count()).toBe(1);
      const rows = await poll(
        () =>
          rowsOf<{ path: string; action: string }>(
            product,
            `SELECT path, action FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND reference = '${code ?? ''}'`,
          ),
        (found) => found.length > 0,
      );
      expect(rows).toEqual([{ path: '/unlucky', action: 'challenge' }]);
    } finally {
      await browser.close();
    }
  });
});
