import { Window as HappyWindow } from 'happy-dom';
import { CookieJar, JSDOM, VirtualConsole } from 'jsdom';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poll } from '../../test/kit/http.ts';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';
import { valueOfReading, Upload } from '../page-contract/evidence.ts';
import { judge } from '../src/challenge/evidence/judge.ts';
import { farthest, scaleOf } from '../src/challenge/evidence/judges/layout.ts';
import { answering, USUAL } from '../src/challenge/testing/answers.ts';
import { fixture } from '../src/challenge/testing/challenged-visitor.ts';
import { untilInTime } from './testing/patient-visits.ts';
import { startSite, type Site } from './testing/test-site.ts';

/** The readings of the challenge page, in a layout engine and in documents without one. */

let browser: Browser;
let site: Site;
/** Starts before the other tests, because it takes as long as a page waits for its files. */
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

/** The upload of a visit. `prepare` runs in the page before the page's scripts. */
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

/** The correct widths of the boxes of this upload. */
function widthsFor({ ticket, evidence }: Upload): readonly number[] {
  return valueOfReading(answering(evidence, ticket).readings.cascade)?.widths ?? [];
}

function farthestOff(upload: Upload): number {
  const { side = 0, widths = [] } = valueOfReading(upload.evidence.readings.cascade) ?? {};
  return farthest(widths, scaleOf({ side }), widthsFor(upload));
}

test.each([
  ['Temporal', ''],
  ['Intl, in a browser without Temporal', 'delete window.Temporal'],
])('the time zone is read from %s', async (_of, prepare) => {
  const { evidence } = await visited({ timezoneId: 'Asia/Tokyo' }, prepare);
  expect(valueOfReading(evidence.readings.timezone)).toEqual({ name: 'Asia/Tokyo' });
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
    ['zoomed', 'zoom:0.67'],
    ['scaled', 'transform:scale(1.5)'],
    ['written from right to left, in columns', 'direction:rtl;writing-mode:vertical-rl'],
    ['with huge text', 'font-size:60px;text-size-adjust:300%;line-height:9'],
  ])('in a document that is %s', async (_how, css) => {
    expect(farthestOff(await visited({ locale: 'en-US' }, onRoot(css)))).toBeLessThan(0.3);
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
    const { readings, tookMs, totalMs } = (await visited({ locale: 'en-US' })).evidence;
    expect(readings.media).toMatchObject({ value: { vp9: { plays: 'probably', streams: true } } });
    expect(readings.fonts).toEqual({ value: expect.any(Array) as string[] });
    expect(readings.painting).toMatchObject({ value: { visible: true } });
    expect(tookMs['painting']).toBeLessThanOrEqual(totalMs);
  });

  test('a frame that is never drawn is reported with the number of timers', async () => {
    const { readings } = (
      await visited({ locale: 'en-US' }, 'window.requestAnimationFrame = () => 0;')
    ).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: true, frameMs: null } });
    expect(valueOfReading(readings.painting)?.ticks).toBeGreaterThan(0);
  });

  test('a page out of view reports this', async () => {
    const hidden = "Object.defineProperty(document, 'hidden', { get: () => true });";
    const { readings } = (await visited({ locale: 'en-US' }, hidden)).evidence;
    expect(readings.painting).toMatchObject({ value: { visible: false } });
  });

  test('a page in a frame has no such reading', async () => {
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

/** The headers of a browser, so that only the page itself can show that there is no layout. */
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

/** A `fetch` for a document without one. It sends the headers of a browser, and collects the request bodies. */
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

/** The judgement of the same upload, after everything except the layout was corrected. */
function judgedByLayoutAlone(sent: string | undefined) {
  const upload = Upload.parse(JSON.parse(sent ?? ''));
  const { evidence, headers } = fixture('human/chromium-headful-xvfb-default-screen.json');
  const { cascade } = upload.evidence.readings;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const readings = { ...evidence.readings, cascade };
  return judge({ ...evidence, readings }, request, [widthsFor(upload)], USUAL).kind;
}

/** A visit of jsdom to its own site, until the site has an outcome. */
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
  // jsdom loads no frame in a shadow tree, so the page waits for its files until the time limit.
  await poll(
    () => Promise.resolve(of.outcomes.length),
    (count) => count > 0,
  );
  // Close the window at the end, because the page still shows the result of its answer, and needs its document.
  const leave = () => {
    window.close();
    of.server.closeAllConnections();
    of.server.close();
  };
  return { of, sent, leave };
}

describe('documents without layout run the page, and do not pass', () => {
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
    // The window is not closed: the page's script may still run, and needs its document.
    await window.happyDOM.abort();
    expect(site.outcomes.map(({ kind }) => kind)).not.toContain('verified');
    expect([...site.store.sessions.values()].map(({ state }) => state)).not.toContain('verified');
    expect(judgedByLayoutAlone(sent[0])).not.toBe('human');
  });
});
