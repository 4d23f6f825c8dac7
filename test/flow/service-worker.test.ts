import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { hasWindowedChromium } from '../kit/tools.ts';
import { openInWindow } from '../kit/windowed-chromium.ts';

/** A site whose service worker carries each request, as sites that can be installed do. */

const SERVICE = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
self.addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));`;

/** Is not protected. It stands for the visit in which the service worker came into the browser. */
const FIRST = `<!doctype html><title>First</title><script type="module">
await navigator.serviceWorker.register('/service.js');
await navigator.serviceWorker.ready;
if (!navigator.serviceWorker.controller) {
  await new Promise((end) => navigator.serviceWorker.addEventListener('controllerchange', end));
}
location.href = '/shop';
</script>`;

const FILES: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ['/service.js', ['text/javascript', SERVICE]],
  ['/open/first', ['text/html', FIRST]],
]);

const arrivals: { readonly url: string; readonly mode: unknown; readonly destination: unknown }[] =
  [];
const origin = createServer(({ url = '', headers }, response) => {
  arrivals.push({ url, mode: headers['sec-fetch-mode'], destination: headers['sec-fetch-dest'] });
  const [type, text] = FILES.get(url) ?? ['text/html', '<!doctype html><title>Shop</title>'];
  response.writeHead(200, { 'content-type': type }).end(text);
});
let product: Product;

beforeAll(async () => {
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  // A server that listens on TCP has an AddressInfo.
  const { port } = origin.address() as AddressInfo;
  // The icon of the first page can be asked for beside /shop. Were it challenged too, the browser would take the cookie
  // of one for the page of the other, which costs one challenge more (contract 3).
  const site = { skip: ['/open/**', '/service.js', '/favicon.ico'] };
  product = await startProduct(storySettings(`http://127.0.0.1:${port}`, { site }));
});
afterAll(async () => {
  await product.stop();
  origin.closeAllConnections();
  origin.close();
});

describe.skipIf(!hasWindowedChromium)('a person who has a service worker and no pass', () => {
  test('is shown the challenge in Chromium, and passes it', async () => {
    const browser = await openInWindow(`${product.addresses.gateway}/open/first`);
    try {
      const [shop] = await poll(
        () => Promise.resolve(arrivals.filter(({ url }) => url === '/shop')),
        (found) => found.length > 0,
        60_000,
      );
      // As the service worker hands it on: were this a document, the test would show nothing.
      expect(shop).toMatchObject({ mode: 'navigate', destination: 'empty' });
    } finally {
      await browser.close();
    }
    const rows = await poll(
      () =>
        rowsOf<{ action: string; block_reasons: string[] }>(
          product,
          `SELECT action, block_reasons FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND path = '/shop' ORDER BY created_at`,
        ),
      (found) => found.length >= 2,
    );
    expect(rows).toEqual([
      { action: 'challenge', block_reasons: [] },
      { action: 'allow', block_reasons: [] },
    ]);
  }, 120_000);
});
