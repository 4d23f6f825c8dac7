import { Window as HappyWindow } from 'happy-dom';
import { CookieJar, JSDOM, VirtualConsole } from 'jsdom';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../test/kit/http.ts';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { valueOfReading, Upload } from '../page-contract/evidence.ts';
import { judge } from '../src/challenge/evidence/judge.ts';
import { farthest, scaleOf } from '../src/challenge/evidence/judges/layout.ts';
import { answerTicket, DEFAULT_STRENGTHS } from '../src/challenge/testing/answers.ts';
import { readFixture } from '../src/challenge/testing/challenged-visitor.ts';
import { untilInTime } from './testing/patient-visits.ts';
import { startSite, type Site } from './testing/test-site.ts';

/** The readings of the challenge page, in a browser with a layout engine and in documents without a layout engine. */

let browser: Browser;
let site: Site;
/** This visit starts before the other tests, because it takes as long as a page waits for its files. */
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

/** The upload of one visit. The script `prepare` runs in the page before the page's own scripts. */
const uploadOf = (options: BrowserContextOptions, prepare = ''): Promise<Upload> =>
  untilInTime(
    () => uploadOfOneVisit(options, prepare),
    ({ evidence }) => evidence.readings,
  );

async function uploadOfOneVisit(options: BrowserContextOptions, prepare: string): Promise<Upload> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  if (prepare !== '') await page.addInitScript(prepare);
  const uploadRequest = page.waitForRequest((request) => request.url().endsWith('/.guard/verify'));
  await page.goto(`${site.url}/`);
  const upload = Upload.parse(JSON.parse((await uploadRequest).postData() ?? ''));
  await context.close();
  return upload;
}

/** The correct widths for the ticket of this upload. */
function widthsFor({ ticket, evidence }: Upload): readonly number[] {
  return valueOfReading(answerTicket(evidence, ticket).readings.cascade)?.widths ?? [];
}

function largestDifference(upload: Upload): number {
  const { side = 0, widths = [] } = valueOfReading(upload.evidence.readings.cascade) ?? {};
  return farthest(widths, scaleOf({ side }), widthsFor(upload));
}

test.each([
  ['Temporal', ''],
  ['Intl, in a browser without Temporal', 'delete window.Temporal'],
])('the time zone is read from %s', async (_of, prepare) => {
  const { evidence } = await uploadOf({ timezoneId: 'Asia/Tokyo' }, prepare);
  expect(valueOfReading(evidence.readings.timezone)).toEqual({ name: 'Asia/Tokyo' });
});

describe('the boxes of the style sheet in a layout engine', () => {
  test.each([
    ['with the usual settings', {}],
    ['at 1.25 device pixels', { deviceScaleFactor: 1.25 }],
    ['at 2 device pixels', { deviceScaleFactor: 2 }],
    ['on a phone', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
    ['with forced colours and reduced motion', { forcedColors: 'active', reducedMotion: 'reduce' }],
  ] satisfies [string, BrowserContextOptions][])(
    'have the expected widths %s',
    async (_how, options) => {
      for (let visit = 0; visit < 3; visit += 1) {
        const upload = await uploadOf({ ...options, locale: 'en-US' });
        expect(largestDifference(upload), upload.ticket).toBeLessThan(0.2);
      }
    },
  );

  const styleRoot = (css: string) =>
    `new MutationObserver((_, seen) => { if (document.documentElement) { document.documentElement.style.cssText = '${css}'; seen.disconnect(); } }).observe(document, { childList: true });`;

  test.each([
    ['zoomed', 'zoom:0.67'],
    ['scaled', 'transform:scale(1.5)'],
    ['written from right to left, in columns', 'direction:rtl;writing-mode:vertical-rl'],
    ['with huge text', 'font-size:60px;text-size-adjust:300%;line-height:9'],
  ])('have the expected widths in a document that is %s', async (_how, css) => {
    expect(largestDifference(await uploadOf({ locale: 'en-US' }, styleRoot(css)))).toBeLessThan(
      0.3,
    );
  });

  test('are removed from the document', async () => {
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
  test('are read, and do not delay the page', async () => {
    const { readings, tookMs, totalMs } = (await uploadOf({ locale: 'en-US' })).evidence;
    expect(readings.media).toMatchObject({ value: { vp9: { plays: 'probably', streams: true } } });
    expect(readings.fonts).toEqual({ value: expect.any(Array) as string[] });
    expect(readings.painting).toMatchObject({ value: { visible: true } });
    expect(tookMs['painting']).toBeLessThanOrEqual(totalMs);
  });

  test('a frame that is never drawn is reported with the number of timers', async () => {
    const { readings } = (
      await uploadOf({ locale: 'en-US' }, 'window.requestAnimationFrame = () => 0;')
    ).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: true, frameMs: null } });
    expect(valueOfReading(readings.painting)?.ticks).toBeGreaterThan(0);
  });

  test('a hidden page reports that it is not visible', async () => {
    const hidePage = "Object.defineProperty(document, 'hidden', { get: () => true });";
    const { readings } = (await uploadOf({ locale: 'en-US' }, hidePage)).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: false } });
  });

  test('a page in a frame has no reading of the first frame', async () => {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    const uploadRequest = page.waitForRequest((request) =>
      request.url().endsWith('/.guard/verify'),
    );
    await page.goto(`${site.url}/form`);
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('iframe'), { src: '/' }))",
    );
    const { evidence } = Upload.parse(JSON.parse((await uploadRequest).postData() ?? ''));
    expect(evidence.readings.painting).toEqual({ unread: 'absent' });
    await context.close();
  });
});

/** The headers of a browser, so that only the evidence of the page can show that there is no layout. */
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

/**
 * A `fetch` function for a document that has none. It sends the headers of a browser, and collects the request bodies.
 */
function fetchOf({ url: siteUrl }: Site, cookie: string, sentBodies: string[]) {
  return (url: string, { method = 'GET', body }: { method?: string; body?: string }) => {
    if (body !== undefined) sentBodies.push(body);
    return fetch(new URL(url, siteUrl), {
      method,
      body: body ?? null,
      headers: { ...HEADERS, cookie, 'content-type': 'application/json' },
    });
  };
}

/** Judges only the layout of this upload: all other readings are replaced by readings of a person's browser. */
function judgeLayoutAlone(sentBody: string | undefined) {
  const upload = Upload.parse(JSON.parse(sentBody ?? ''));
  const { evidence, headers } = readFixture('human/chromium-headful-xvfb-default-screen.json');
  const { cascade } = upload.evidence.readings;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const readings = { ...evidence.readings, cascade };
  return judge({ ...evidence, readings }, request, [widthsFor(upload)], DEFAULT_STRENGTHS).kind;
}

/** A visit of jsdom to its own site, until the site has an outcome. */
async function visitInJsdom() {
  const ownSite = await startSite();
  const { html, cookie } = await challengePage(ownSite);
  const sentBodies: string[] = [];
  const cookieJar = new CookieJar();
  await cookieJar.setCookie(cookie, ownSite.url);
  const { window } = new JSDOM(html, {
    url: `${ownSite.url}/`,
    runScripts: 'dangerously',
    pretendToBeVisual: true,
    resources: { userAgent: HEADERS['user-agent'] },
    virtualConsole: new VirtualConsole(),
    cookieJar,
    beforeParse: (jsdomWindow) => {
      Object.assign(jsdomWindow, { fetch: fetchOf(ownSite, cookie, sentBodies) });
    },
  });
  // jsdom loads no frame in a shadow tree, so the page waits for its files until the time limit.
  await poll(
    () => Promise.resolve(ownSite.outcomes.length),
    (count) => count > 0,
  );
  // The window is closed at the end, because the page still shows its result, and needs its document.
  const leave = () => {
    window.close();
    ownSite.server.closeAllConnections();
    ownSite.server.close();
  };
  return { ownSite, sentBodies, leave };
}

describe('a document without layout that runs the page', () => {
  test('jsdom does not pass', async () => {
    const { ownSite, sentBodies } = await inJsdom;
    expect(ownSite.outcomes.map(({ kind }) => kind)).not.toContain('verified');
    expect([...ownSite.store.sessions.values()].map(({ state }) => state)).not.toContain(
      'verified',
    );
    expect(judgeLayoutAlone(sentBodies[0])).not.toBe('human');
  });

  test('happy-dom does not pass', async () => {
    const { html, cookie } = await challengePage(site);
    const sentBodies: string[] = [];
    const window = new HappyWindow({
      url: `${site.url}/`,
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        navigator: { userAgent: HEADERS['user-agent'] },
      },
    });
    Object.assign(window, { fetch: fetchOf(site, cookie, sentBodies) });
    window.document.cookie = cookie;
    window.document.write(html);
    await expect.poll(() => site.outcomes.length).toBeGreaterThan(0);
    // The window is not closed: the page's script may still run, and needs its document.
    await window.happyDOM.abort();
    expect(site.outcomes.map(({ kind }) => kind)).not.toContain('verified');
    expect([...site.store.sessions.values()].map(({ state }) => state)).not.toContain('verified');
    expect(judgeLayoutAlone(sentBodies[0])).not.toBe('human');
  });
});
