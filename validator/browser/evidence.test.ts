import { Window as HappyWindow } from 'happy-dom';
import { CookieJar, JSDOM, VirtualConsole } from 'jsdom';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../test/kit/http.ts';
import { launchPlain } from '../../test/kit/plain-chromium.ts';
import { known, Upload } from '../page-contract/evidence.ts';
import { judge } from '../src/challenge/evidence/judge.ts';
import { farthest, scaleOf } from '../src/challenge/evidence/judges/layout.ts';
import { answering, USUAL } from '../src/challenge/testing/answers.ts';
import { fixture } from '../src/challenge/testing/challenged-visitor.ts';
import { untilInTime } from './testing/patient-visits.ts';
import { startSite, type Site } from './testing/test-site.ts';

/** What the challenge page reads, in a layout engine and in documents that have none. */

let browser: Browser;
let site: Site;
/** Begins before the other tests: it waits as long as a page waits for its files. */
let inJsdom: ReturnType<typeof visitInJsdom>;

beforeAll(async () => {
  browser = await launchPlain();
  inJsdom = visitInJsdom();
});
afterAll(async () => {
  await browser.close();
  (await inJsdom).leave();
});
beforeEach(async () => {
  site = await startSite();
});
afterEach(() => {
  site.server.closeAllConnections();
  site.server.close();
});

/** The upload of a visit; `prepare` runs in the page before anything of it. */
const visited = (options: BrowserContextOptions, prepare = ''): Promise<Upload> =>
  untilInTime(
    () => visitedOnce(options, prepare),
    ({ evidence }) => evidence.readings,
  );

async function visitedOnce(options: BrowserContextOptions, prepare: string): Promise<Upload> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  if (prepare !== '') await page.addInitScript(prepare);
  const sent = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
  await page.goto(`${site.url}/`);
  const upload = Upload.parse(JSON.parse((await sent).postData() ?? ''));
  await context.close();
  return upload;
}

/** Widths of the boxes of a style sheet, as they have to be. */
function widthsFor({ ticket, evidence }: Upload): readonly number[] {
  return known(answering(evidence, ticket).readings.cascade)?.widths ?? [];
}

function farthestOff(upload: Upload): number {
  const { side = 0, widths = [] } = known(upload.evidence.readings.cascade) ?? {};
  return farthest(widths, scaleOf({ side }), widthsFor(upload));
}

test.each([
  ['Temporal', ''],
  ['Intl, where a browser has no Temporal', 'delete window.Temporal'],
])('the time zone is read of %s', async (_of, prepare) => {
  const { evidence } = await visited({ timezoneId: 'Asia/Tokyo' }, prepare);
  expect(known(evidence.readings.timezone)).toEqual({ name: 'Asia/Tokyo' });
});

describe('the boxes of the style sheet in a layout engine', () => {
  test.each([
    ['as it comes', {}],
    ['at 1.25 device pixels', { deviceScaleFactor: 1.25 }],
    ['at 2 device pixels', { deviceScaleFactor: 2 }],
    ['on a phone', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
    ['with forced colours and reduced motion', { forcedColors: 'active', reducedMotion: 'reduce' }],
  ] satisfies [string, BrowserContextOptions][])('%s', async (_how, options) => {
    for (let visit = 0; visit < 3; visit += 1) {
      const upload = await visited({ ...options, locale: 'en-US' });
      expect(farthestOff(upload), upload.ticket).toBeLessThan(0.2);
    }
  });

  const onRoot = (css: string) =>
    `new MutationObserver((_, seen) => { if (document.documentElement) { document.documentElement.style.cssText = '${css}'; seen.disconnect(); } }).observe(document, { childList: true });`;

  test.each([
    ['zoomed as a whole', 'zoom:0.67'],
    ['scaled as a whole', 'transform:scale(1.5)'],
    ['written from right to left, in columns', 'direction:rtl;writing-mode:vertical-rl'],
    ['with huge text', 'font-size:60px;text-size-adjust:300%;line-height:9'],
  ])('in a document that is %s', async (_how, css) => {
    expect(farthestOff(await visited({ locale: 'en-US' }, onRoot(css)))).toBeLessThan(0.3);
  });

  test('leave nothing behind in the document', async () => {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    site.intercept = (response) => response.writeHead(200).end('stay');
    await page.goto(`${site.url}/`);
    await page.waitForSelector('text=could not be checked', { state: 'visible' });
    expect(await page.evaluate('document.documentElement.children.length')).toBe(2);
    expect(await page.evaluate('frames.length')).toBe(0);
    await context.close();
  });
});

describe('formats, fonts and the first frame', () => {
  test('are read, and cost the page no wait of their own', async () => {
    const { readings, tookMs, totalMs } = (await visited({ locale: 'en-US' })).evidence;
    expect(readings.media).toMatchObject({ value: { vp9: { plays: 'probably', streams: true } } });
    expect(readings.fonts).toEqual({ value: expect.any(Array) as string[] });
    expect(readings.painting).toMatchObject({ value: { visible: true } });
    expect(tookMs['painting']).toBeLessThanOrEqual(totalMs);
  });

  test('a frame that is never drawn is told with the timers that ran meanwhile', async () => {
    const { readings } = (
      await visited({ locale: 'en-US' }, 'window.requestAnimationFrame = () => 0;')
    ).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: true, frameMs: null } });
    expect(known(readings.painting)?.ticks).toBeGreaterThan(0);
  });

  test('a page out of sight says so', async () => {
    const hidden = "Object.defineProperty(document, 'hidden', { get: () => true });";
    const { readings } = (await visited({ locale: 'en-US' }, hidden)).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: false } });
  });

  test('a page in a frame is not watched', async () => {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    const sent = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
    await page.goto(`${site.url}/form`);
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('iframe'), { src: '/' }))",
    );
    const { evidence } = Upload.parse(JSON.parse((await sent).postData() ?? ''));
    expect(evidence.readings.painting).toEqual({ unread: 'absent' });
    await context.close();
  });
});

/** A browser's headers: nothing but the page itself may give these documents away. */
const HEADERS = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'accept-language': 'en-US,en;q=0.9',
};

async function challengePage({ url }: Site) {
  const response = await fetch(`${url}/`, { headers: HEADERS });
  return {
    html: await response.text(),
    cookie: (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
  };
}

/** `fetch` for a document that has none of its own; it says what the browser would, and keeps what it sent. */
function fetchOf(at: Site, cookie: string, sent: string[]) {
  return (url: string, { method = 'GET', body }: { method?: string; body?: string }) => {
    if (body !== undefined) sent.push(body);
    return fetch(new URL(url, at.url), {
      method,
      body: body ?? null,
      headers: { ...HEADERS, cookie, 'content-type': 'application/json' },
    });
  };
}

/** The same upload, had its author thought of everything but a layout engine. */
function judgedByLayoutAlone(sent: string | undefined) {
  const upload = Upload.parse(JSON.parse(sent ?? ''));
  const { evidence, headers } = fixture('human/chromium-headful-xvfb-default-screen.json');
  const { cascade } = upload.evidence.readings;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const readings = { ...evidence.readings, cascade };
  return judge({ ...evidence, readings }, request, [widthsFor(upload)], USUAL).kind;
}

/** A visit of jsdom to a site of its own, once it has an outcome. */
async function visitInJsdom() {
  const of = await startSite();
  const { html, cookie } = await challengePage(of);
  const sent: string[] = [];
  const cookieJar = new CookieJar();
  await cookieJar.setCookie(cookie, of.url);
  const { window } = new JSDOM(html, {
    url: `${of.url}/`,
    runScripts: 'dangerously',
    pretendToBeVisual: true,
    resources: { userAgent: HEADERS['user-agent'] },
    virtualConsole: new VirtualConsole(),
    cookieJar,
    beforeParse: (inside) => {
      Object.assign(inside, { fetch: fetchOf(of, cookie, sent) });
    },
  });
  // It waits for its files to the end: jsdom loads no frame in a shadow tree.
  await poll(
    () => Promise.resolve(of.outcomes.length),
    (count) => count > 0,
  );
  // At the end, because the page still shows what came of its answer, and would find no document.
  const leave = () => {
    window.close();
    of.server.closeAllConnections();
    of.server.close();
  };
  return { of, sent, leave };
}

describe('documents without layout run the page and are not let through', () => {
  test('jsdom', async () => {
    const { of, sent } = await inJsdom;
    expect(of.outcomes.map(({ kind }) => kind)).not.toContain('verified');
    expect([...of.store.sessions.values()].map(({ state }) => state)).not.toContain('verified');
    expect(judgedByLayoutAlone(sent[0])).not.toBe('human');
  });

  test('happy-dom', async () => {
    const { html, cookie } = await challengePage(site);
    const sent: string[] = [];
    const window = new HappyWindow({
      url: `${site.url}/`,
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        navigator: { userAgent: HEADERS['user-agent'] },
      },
    });
    Object.assign(window, { fetch: fetchOf(site, cookie, sent) });
    window.document.cookie = cookie;
    window.document.write(html);
    await expect.poll(() => site.outcomes.length).toBeGreaterThan(0);
    // It is not closed: the page's script may still be between two steps, and would find no document.
    await window.happyDOM.abort();
    expect(site.outcomes.map(({ kind }) => kind)).not.toContain('verified');
    expect([...site.store.sessions.values()].map(({ state }) => state)).not.toContain('verified');
    expect(judgedByLayoutAlone(sent[0])).not.toBe('human');
  });
});
