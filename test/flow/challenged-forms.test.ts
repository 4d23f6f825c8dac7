import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disguise, launchDriven } from '../kit/driven-chromium.ts';
import { poll } from '../kit/http.ts';
import { forwardTo, type HttpsFront, startHttps } from '../kit/https-front.ts';
import { rowsOf } from '../kit/sql.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { hasOpenssl, hasWindowedChromium } from '../kit/tools.ts';
import { openInWindow } from '../kit/windowed-chromium.ts';

/**
 * People's browsers, without a driver, on pages that send forms by themselves: each form arrives once,
 * whole, and no browser goes in circles. Then what a person reads on the failure screen, in SQL.
 */

interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly cookie: string;
  readonly body: string;
}

/** Pages of the origin by path; everything else is answered with a few words. */
const pages = new Map<string, string>();
const arrivals: Arrival[] = [];
const origin = createServer((request, response) => void serve(request, response));
let product: Product;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = Buffer.concat(await request.toArray()).toString();
  arrivals.push({ method, url, cookie: headers.cookie ?? '', body });
  const hop = /^to (.+)$/.exec(pages.get(url) ?? '')?.[1];
  if (hop !== undefined) response.writeHead(302, { location: hop }).end();
  else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(pages.get(url) ?? '<h1>arrived</h1>');
}

beforeAll(async () => {
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  // A server that listens on TCP has an AddressInfo.
  const { port } = origin.address() as AddressInfo;
  const site = { skip: ['/open/**'] };
  product = await startProduct(storySettings(`http://127.0.0.1:${port}`, { site }));
});
afterAll(async () => {
  await product.stop();
  origin.closeAllConnections();
  origin.close();
});

/** A page whose script sends a form with a text and a file, as soon as it is there. */
function formTo(action: string): string {
  return `<form method="post" enctype="multipart/form-data" action="${action}"><input name="user" value="ada"><input type="file" name="photo"></form>
<script>const chosen = new DataTransfer(); chosen.items.add(new File(['the file itself'], 'a.txt'));
document.querySelector('[type=file]').files = chosen.files; document.forms[0].submit();</script>`;
}

const arrived = (path: string) => arrivals.filter(({ url }) => url === path);
const whenArrived = (path: string) =>
  poll(
    () => Promise.resolve(arrived(path)),
    (found) => found.length > 0,
  );

/** The actions taken on one path, oldest first, once there are `count`. */
async function actionsOn(path: string, count: number): Promise<string[]> {
  const rows = await poll(
    () =>
      rowsOf<{ action: string }>(
        product,
        `SELECT action FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND path = '${path}' ORDER BY created_at`,
      ),
    (found) => found.length >= count,
  );
  return rows.map(({ action }) => action);
}

/** How many checks were passed so far. */
async function passes(): Promise<number> {
  const page = await fetch(`${product.addresses.admin}/metrics`);
  const line = /guard_challenges_total\{result="verified"\} (\d+)/.exec(await page.text());
  return Number(line?.[1] ?? 0);
}

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
    const [order, ...more] = arrived('/order');
    expect(more).toEqual([]);
    expect(order).toMatchObject({ method: 'POST' });
    expect(order?.body).toContain('the file itself');
  });

  test('of another site is not sent again as one of this site', async () => {
    pages.set('/open/attack', formTo(`${product.addresses.gateway}/transfer`));
    // The same page under another name is another site.
    const elsewhere = product.addresses.gateway.replace('127.0.0.1', 'localhost');
    const before = await passes();
    const browser = await openInWindow(`${elsewhere}/open/attack`);
    try {
      expect(await actionsOn('/transfer', 1)).toEqual(['challenge']);
      // A form of the site itself would follow as soon as its check is passed.
      await poll(passes, (now) => now > before, 60_000);
    } finally {
      await browser.close();
    }
    expect(await actionsOn('/transfer', 1)).toEqual(['challenge']);
    expect(arrived('/transfer')).toEqual([]);
  }, 120_000);
});

describe.skipIf(!hasWindowedChromium || !hasOpenssl)('contract 2.3: the cookie over https', () => {
  let shop: HttpsFront;
  let payment: HttpsFront;
  const trustsAnybody = ['--ignore-certificate-errors'];

  beforeAll(async () => {
    shop = await startHttps(forwardTo(product.addresses.gateway));
    payment = await startHttps((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(formTo(`https://localhost:${shop.port}/paid`));
    });
  });
  afterAll(() => Promise.all([shop.close(), payment.close()]));

  test('a payment provider’s return arrives at once: SameSite=None travels on a cross-site POST', async () => {
    const next = `https://127.0.0.1:${payment.port}/pay`;
    pages.set('/checkout', `<script>location.href = ${JSON.stringify(next)}</script>`);
    const browser = await openInWindow(`https://localhost:${shop.port}/checkout`, trustsAnybody);
    try {
      const [paid] = await whenArrived('/paid');
      expect(paid).toMatchObject({ method: 'POST' });
      expect(paid?.cookie).toContain('_guard=');
      expect(paid?.body).toContain('the file itself');
      expect(await actionsOn('/paid', 1)).toEqual(['allow']);
    } finally {
      await browser.close();
    }
  });

  test('a hop from http to https keeps the visitor: one challenge on each, no loop', async () => {
    pages.set('/hop', `to https://localhost:${shop.port}/landed`);
    const start = product.addresses.gateway.replace('127.0.0.1', 'localhost');
    const browser = await openInWindow(`${start}/hop`, trustsAnybody);
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
  test('the code on the screen finds the request in SQL; a fetch meanwhile gets problem details', async () => {
    const browser = await launchDriven();
    try {
      const context = await browser.newContext(disguise(browser));
      const page = await context.newPage();
      await page.route('**/.guard/verify', (route) => route.abort());
      await page.goto(`${product.addresses.gateway}/unlucky`);
      await page.click('button:visible');
      await page.waitForSelector('h1:text("Your browser could not be checked")', {
        state: 'visible',
      });
      const code = await page.textContent('footer code');
      expect(code).toMatch(/^[0-9A-Z]{8}$/);
      const fetched = await page.evaluate<unknown>(
        "fetch('/api/cart').then((r) => [r.status, r.headers.get('content-type')])",
      );
      expect(fetched).toEqual([403, 'application/problem+json']);
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
