import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Desk } from '../kit/browsers/desk.ts';
import { type DeskBrowser, deskChromium, deskFirefox } from '../kit/browsers/desk-browsers.ts';
import { poll } from '../kit/http.ts';
import { ARRIVED_TITLE, type PagedOrigin, startPagedOrigin } from '../kit/origins/paged-origin.ts';
import { type Relay, startRelay } from '../kit/peers/relay.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasDesk, hasFirefox, hasWindowedChromium } from '../kit/tools.ts';
import { tryUntil } from '../kit/try-until.ts';
import { type SharedDesk, useDesk } from '../kit/browsers/use-desk.ts';

/**
 * These tests use two browsers as people do, only by keyboard and mouse. The title bar and the clipboard show what a
 * person sees. Requests are counted before the gateway, at the origin and in SQL. `npm run eval -- people` runs these
 * tests. people-readings.test.ts checks in each run of the usual tests that both browsers pass.
 */

const UPLOAD = 'POST /.guard/verify';
/** The longest wait for a browser that starts on a busy machine. */
const BROWSER_MS = 20_000;
const EVENTS_MS = 15_000;
/** How long and how often a test waits for the effect of a key, and for a page. */
const PRESS = { intervalMs: 1_000, timeoutMs: BROWSER_MS };
const READ = { intervalMs: 6_000, timeoutMs: BROWSER_MS };
/**
 * The time limit of a test. It is longer than all waits of a test together, so that a failed wait can report its last
 * value.
 */
const TEST_MS = 120_000;

let origin: PagedOrigin;
let product: Product;
let relay: Relay;
/** The requests for pages at the gateway and the uploads, in order. */
const requests: string[] = [];

beforeAll(async () => {
  origin = await startPagedOrigin();
  product = await startProduct(productSettings(origin.url, { site: { skip: ['/open/**'] } }));
  relay = await startRelay(product.addresses.gateway, ({ method, url }) => {
    const isPartOfPage = url === '/favicon.ico' || (method === 'GET' && url.startsWith('/.guard/'));
    if (!isPartOfPage) requests.push(`${method} ${url}`);
  });
});
afterAll(async () => {
  await relay.close();
  await product.stop();
  await origin.close();
});

const urlOf = (path: string) => `http://127.0.0.1:${relay.port}${path}`;
const arrivalsAt = (path: string) => origin.arrivals.filter(({ url }) => url === path);

/** The requests for pages and the uploads of one visit so far. Visits do not overlap. */
const requestsSince = (start: number) => requests.slice(start);

const whenArrived = (path: string) =>
  poll(
    () => Promise.resolve(arrivalsAt(path)),
    (found) => found.length > 0,
    BROWSER_MS,
  );

const whenTitled = (desk: Desk, title: string) =>
  poll(
    () => desk.title(),
    (shownTitle) => shownTitle === title,
    BROWSER_MS,
  );

interface EventRow {
  readonly action: string;
  readonly challenge: string;
  readonly block_reasons: readonly string[];
}

/** Waits until `condition` selects `count` events, and returns them, oldest first. */
function events(condition: string, count: number): Promise<EventRow[]> {
  return poll(
    () =>
      rowsOf<EventRow>(
        product,
        `SELECT action, challenge, block_reasons FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND ${condition} ORDER BY created_at`,
      ),
    (rows) => rows.length >= count,
    EVENTS_MS,
  );
}

let readings = 0;

/**
 * Reads the text of the page in front, without blanks. The browser leaves the page for that, so call it after the page
 * has made all its requests.
 */
async function readAway(desk: Desk): Promise<string> {
  const path = `/open/read-${(readings += 1)}?`;
  const readArrivals = () => origin.arrivals.filter(({ url }) => url.startsWith(path));
  const [reading] = await tryUntil(() => desk.pasteBehind(urlOf(path)), readArrivals, READ);
  return decodeURIComponent(reading?.url.slice(path.length) ?? '').replaceAll(/[\s+]/g, '');
}

/** The requests of one visit before `readAway`. */
const requestsUntilRead = (start: number) =>
  requestsSince(start).filter((request) => !request.startsWith('GET /open/read-'));

const withoutBlanks = (text: string) => text.replaceAll(' ', '');

/** A form with a file and a text field. The title of the page shows the value of the text field. */
function formTo(action: string): string {
  return `<!doctype html><title>A form</title><form method="post" enctype="multipart/form-data" action="${action}">
<input name="user" autofocus oninput="document.title = 'A form of ' + value"><input type="file" name="photo"><button>Order</button></form>
<script>const chosen = new DataTransfer(); chosen.items.add(new File(['the file itself'], 'a.txt'));
document.querySelector('[type=file]').files = chosen.files;</script>`;
}

/** Tests for each browser. `name` makes the paths different. */
function peopleWith(browser: DeskBrowser, name: string, open: SharedDesk['open']): void {
  test('pass with exactly one reload: challenge, upload, page', async () => {
    const start = requests.length;
    const path = `/${name}/pass`;
    const desk = await open(browser, { urls: [urlOf(path)] });
    await whenTitled(desk, ARRIVED_TITLE);
    expect(await events(`path = '${path}'`, 2)).toEqual([
      { action: 'challenge', challenge: 'issued', block_reasons: [] },
      { action: 'allow', challenge: 'verified', block_reasons: [] },
    ]);
    expect(requestsSince(start)).toEqual([`GET ${path}`, UPLOAD, `GET ${path}`]);
    expect(arrivalsAt(path)).toHaveLength(1);
  });

  test('in two tabs at once reach both pages', async () => {
    const start = requests.length;
    const paths = [`/${name}/tab-1`, `/${name}/tab-2`];
    const desk = await open(browser, { urls: paths.map(urlOf) });
    for (const path of paths) await whenArrived(path);
    await whenTitled(desk, ARRIVED_TITLE);
    for (const path of paths) {
      expect(arrivalsAt(path)).toHaveLength(1);
      // The requests are a challenge, at most one more challenge because of the session of the other tab, and the page.
      const visits = requestsSince(start).filter((request) => request === `GET ${path}`);
      expect(visits.length).toBeLessThanOrEqual(3);
    }
  });

  test('with JavaScript switched off read that it is needed, after one request', async () => {
    const start = requests.length;
    const path = `/${name}/no-scripts`;
    const desk = await open(browser, { urls: [urlOf(path)], refused: 'scripts' });
    await whenTitled(desk, 'Checking your browser');
    const text = await readAway(desk);
    expect(text).toContain(withoutBlanks('JavaScript is needed here'));
    expect(requestsUntilRead(start)).toEqual([`GET ${path}`]);
    expect(await events(`path = '${path}'`, 1)).toMatchObject([{ action: 'challenge' }]);
  });

  test('with cookies switched off read that they are needed, after one upload: interstitial_no_session', async () => {
    const start = requests.length;
    const path = `/${name}/no-cookies`;
    const desk = await open(browser, { urls: [urlOf(path)], refused: 'cookies' });
    await whenTitled(desk, 'Cookies are needed here');
    const text = await readAway(desk);
    expect(text).toContain(withoutBlanks('Cookies are needed here'));
    expect(requestsUntilRead(start)).toEqual([`GET ${path}`, UPLOAD]);
    const code = /Reference:?([0-9A-Z]{8})/.exec(text)?.[1] ?? text;
    expect(await events(`reference = '${code}'`, 2)).toEqual([
      { action: 'challenge', challenge: 'issued', block_reasons: [] },
      { action: 'block', challenge: 'failed', block_reasons: ['interstitial_no_session'] },
    ]);
  });
}

describe.skipIf(!hasDesk || !hasWindowedChromium)(
  'contract 3: people with Chromium',
  { timeout: TEST_MS },
  () => {
    peopleWith(deskChromium, 'chromium', useDesk().open);
  },
);

describe.skipIf(!hasDesk || !hasFirefox)(
  'contract 3: people with Firefox',
  { timeout: TEST_MS },
  () => {
    const { open } = useDesk();
    peopleWith(deskFirefox, 'firefox', open);

    test('with storage switched off see the retry screen, then the failure screen', async () => {
      const start = requests.length;
      const path = '/firefox/no-storage';
      const desk = await open(deskFirefox, { urls: [urlOf(path)], refused: 'storage' });
      await whenTitled(desk, 'The check did not finish');
      const failedTitle = 'Your browser could not be checked';
      const screen = async () => ((await desk.title()) === failedTitle ? ['shown'] : []);
      await tryUntil(() => desk.press('Tab', 'Return'), screen, PRESS);
      const text = await readAway(desk);
      const code = /Reference:?([0-9A-Z]{8})/.exec(text)?.[1] ?? text;
      // The only upload says that the visitor left the page, because readAway leaves it.
      expect(await events(`reference = '${code}'`, 2)).toEqual([
        { action: 'challenge', challenge: 'issued', block_reasons: [] },
        { action: 'challenge', challenge: 'failed', block_reasons: ['challenge_abandoned'] },
      ]);
      expect(requestsUntilRead(start)).toEqual([`GET ${path}`, UPLOAD]);
    });

    test('who agree to send a form again lose no data', async () => {
      const path = '/firefox/confirmed';
      const desk = await submitForm(path);
      const [order] = await sendOff(desk, path);
      expect(order).toMatchObject({ method: 'POST' });
      expect(order?.body).toContain('name="user"\r\n\r\nada');
      expect(order?.body).toContain('the file itself');
      const actions = (await events(`path = '${path}'`, 2)).map(({ action }) => action);
      expect(actions).toEqual(['challenge', 'allow']);
    });

    test('who decline to send a form again get instructions, and can still send it', async () => {
      const path = '/firefox/declined';
      const desk = await submitForm(path);
      await declineToSend(desk);
      expect(arrivalsAt(path)).toEqual([]);
      await desk.press('Tab', 'Return');
      const [order] = await sendOff(desk, path);
      expect(order?.body).toContain('the file itself');
      expect(arrivalsAt(path)).toHaveLength(1);
    });

    test('who decline to send a form again and go back find their text, and can send it', async () => {
      const path = '/firefox/gone-back';
      const desk = await submitForm(path);
      await declineToSend(desk);
      await desk.press('Tab', 'Tab', 'Return');
      await poll(
        () => desk.title(),
        (shownTitle) => shownTitle?.startsWith('A form') === true,
        BROWSER_MS,
      );
      const [order] = await sendOff(desk, path);
      expect(order?.body).toContain('name="user"\r\n\r\nada');
    });

    /** Presses Return, on the page or in the dialog of the browser, until the form is at the origin. */
    const sendOff = (desk: Desk, path: string) =>
      tryUntil(
        () => desk.press('Return'),
        () => arrivalsAt(path),
        PRESS,
      );

    /** Declines the dialog of the browser that asks whether to send the form again. */
    async function declineToSend(desk: Desk): Promise<void> {
      const screen = async () => ((await desk.title()) === 'Sending your form' ? ['shown'] : []);
      await tryUntil(() => desk.press('Escape'), screen, PRESS);
    }

    /** Opens a page with a form, fills it in and sends it. Resolves when the browser has answered the challenge. */
    async function submitForm(path: string): Promise<Desk> {
      const page = `/open/form-to${path}`;
      origin.pages.set(page, formTo(path));
      const start = requests.length;
      const desk = await open(deskFirefox, { urls: [urlOf(page)] });
      await whenTitled(desk, 'A form');
      const typedTexts = async () => ((await desk.title()) === 'A form of ada' ? ['typed'] : []);
      await tryUntil(() => desk.press('ctrl+a', 'a', 'd', 'a'), typedTexts, PRESS);
      await desk.press('Return');
      await poll(
        () => Promise.resolve(requestsSince(start)),
        (all) => all.includes(UPLOAD),
        BROWSER_MS,
      );
      return desk;
    }
  },
);
