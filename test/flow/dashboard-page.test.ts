import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { DASHBOARD_LISTEN } from '../kit/product/dashboard.ts';
import {
  type DashboardBrowser,
  type BrowserSetup,
  openDashboardBrowser,
} from '../kit/browsers/dashboard-browser.ts';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { ANALYTICS_KEY } from '../kit/product/product-settings.ts';
import { hasFirefox, hasWindowedChromium } from '../kit/tools.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { curl } from '../kit/visitors/visitors.ts';

/** These tests use the dashboard of a started product in real browsers, from sign-in to sign-out. */

const testbed = useProduct({
  rules: [
    { name: 'no scanners', match: { path: '/wp-login.php' }, verdict: 'block' },
    { name: 'everybody', match: {}, detect: true, challenge: 'always' },
  ],
  top: { listen: DASHBOARD_LISTEN },
});

/** After the markup there is an invisible character. */
const HOSTILE_AGENT = '<img src=x onerror="document.title=1">\u00ad';
const HOSTILE_PATH = '/%22%3E%3Cscript%3Ealert(1)%3C/script%3E';
let reference = '';
/** Requests that were sent. Two of them are blocked. The others are challenged. */
let sentCount = 0;

async function visit(path: string, ip: string, agent = 'curl/8.5.0'): Promise<string> {
  const headers = { ...curl, 'user-agent': agent, 'x-forwarded-for': ip };
  sentCount += 1;
  return (await send(`${testbed.product.addresses.gateway}${path}`, { headers })).body;
}

beforeAll(async () => {
  for (const path of ['/a', '/b', '/c', HOSTILE_PATH]) await visit(path, '203.0.113.7');
  await visit('/a', '198.51.100.9', HOSTILE_AGENT);
  await visit('/wp-login.php', '198.51.100.9');
  const blockedAnswer = await visit('/wp-login.php', '203.0.113.7');
  reference =
    /\b[0-9A-Z]{8}\b/.exec(blockedAnswer.replaceAll(/<style[^]*?<\/style>/g, ''))?.[0] ?? '';
  await untilRecorded();
});

async function untilRecorded(): Promise<void> {
  const statement = 'SELECT toString(count()) AS n FROM events_distributed';
  await poll(
    () => rowsOf<{ n: string }>(testbed.product, statement),
    ([row]) => row?.n === String(sentCount),
  );
}

/** Each browser has two setups (window and colours). Most tests use the first one; one test uses the second one. */
const SETUPS: readonly (readonly [
  string,
  boolean,
  BrowserSetup,
  string,
  Omit<BrowserSetup, 'browser'>,
])[] = [
  [
    'Firefox, 390 px, dark',
    hasFirefox,
    { browser: 'firefox', width: 390, scheme: 'dark' },
    '1,920 px, dark',
    { width: 1920, scheme: 'dark' },
  ],
  [
    'Chromium, 1,920 px, light',
    hasWindowedChromium,
    { browser: 'chrome', width: 1920, scheme: 'light' },
    '390 px, dark',
    { width: 390, scheme: 'dark' },
  ],
];

const desks = new Map<BrowserSetup['browser'], DashboardBrowser>();
afterAll(async () => {
  for (const desk of desks.values()) await desk.close();
});

async function deskOf(setup: BrowserSetup): Promise<DashboardBrowser> {
  const desk = desks.get(setup.browser) ?? (await openDashboardBrowser(testbed.product, setup));
  desks.set(setup.browser, desk);
  return desk;
}

describe.each(SETUPS)('%s', (_name, isThere, setup, second, { width, scheme }) => {
  let desk: DashboardBrowser;
  beforeAll(async () => {
    await untilRecorded();
    if (isThere) desk = await deskOf(setup);
  });

  async function inEachView(check: (view: string) => Promise<void>): Promise<void> {
    for (const view of ['Events', 'Rules and crawlers', 'Health', 'Overview']) {
      await desk.press(view, 'nav');
      await desk.waitForText(
        view === 'Rules and crawlers'
          ? 'What if without this rule?'
          : view === 'Health'
            ? 'Database'
            : '203.0.113.7',
      );
      await check(view);
    }
  }

  async function isRight(view: string): Promise<void> {
    expect(await desk.violations(), view).toEqual([]);
    await expectToFit(view);
  }

  async function expectToFit(view: string): Promise<void> {
    const tooWide = await desk.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(tooWide, view).toBeLessThanOrEqual(0);
  }

  async function findReference(): Promise<void> {
    await desk.page.type('input[type=search]', reference);
    await desk.press('Find');
    await desk.waitForText('What the visitor can do');
  }

  test.skipIf(!isThere)('a wrong key leads to a message, and a right key signs in', async () => {
    await desk.open('/');
    await desk.waitForText('Analytics key');
    expect(await desk.violations()).toEqual([]);
    await desk.page.type('#key', 'sk_api_ro_wrong');
    await desk.press('Sign in');
    await desk.waitForText('Guard does not know this key');
    await desk.page.evaluate("document.querySelector('#key').select()");
    await desk.page.type('#key', ANALYTICS_KEY);
    await desk.press('Sign in');
    await desk.waitForText('How it is going');
  });

  test.skipIf(!isThere)('the tiles show the numbers of requests', async () => {
    await desk.waitForText(`${sentCount} requests in 24 hours`);
    const tiles = await desk.page.evaluate(
      `[...document.querySelectorAll('.tile')].map((tile) => [
        tile.querySelector('dt').textContent, tile.querySelector('.figure').textContent,
      ])`,
    );
    expect(Object.fromEntries(tiles as [string, string][])).toMatchObject({
      Requests: String(sentCount),
      Allowed: '0',
      Challenged: String(sentCount - 2),
      Blocked: '2',
      Limited: '0',
      'Passed unjudged': '0',
    });
  });

  test.skipIf(!isThere)(
    'each view: axe finds no violation, and the page is not wider than the window',
    () => inEachView(isRight),
  );

  test.skipIf(!isThere)('a chart is also a table', async () => {
    await desk.press('Overview', 'nav');
    await desk.press('Show as table');
    const cells = await desk.page.evaluate(
      "[...document.querySelectorAll('main table td')].map((cell) => cell.textContent)",
    );
    expect(cells).toContain(String(sentCount - 2));
    await desk.press('Show as table');
  });

  test.skipIf(!isThere)(
    'the URL contains the filter by a value, and the back button removes it',
    async () => {
      await desk.press('Overview', 'nav');
      await desk.press('address: 198.51.100.9');
      await desk.press('Filter', '.choices');
      await desk.waitForText('2 requests in 24 hours');
      expect(desk.page.url()).toContain('198.51.100.9');
      await desk.page.goBack();
      await desk.waitForText(`${sentCount} requests in 24 hours`);
    },
  );

  test.skipIf(!isThere)('scripts and invisible characters appear as text', async () => {
    await desk.waitForText(HOSTILE_PATH);
    await desk.press('Programs');
    await desk.waitForText(HOSTILE_AGENT.replace('\u00ad', '\\u00ad'));
    expect(await desk.page.title()).not.toBe('1');
    expect(await desk.page.$$('main img, main script')).toEqual([]);
  });

  test.skipIf(!isThere)(
    'the code of a block page finds the reason, the rule and its line',
    async () => {
      expect(reference).not.toBe('');
      await findReference();
      await desk.waitForText('A rule of the site blocks this request.');
      const file = await readFile(join(testbed.product.folder, 'guard.yaml'), 'utf8');
      const line = file.split('\n').findIndex((text) => text.includes('no scanners')) + 1;
      await desk.waitForText(`line ${line}`);
      expect(await desk.violations()).toEqual([]);
    },
  );

  test.skipIf(!isThere)(
    '"Let this visitor in" shows the YAML of a rule, and the effect of the rule on other requests',
    async () => {
      await desk.press('This address 203.0.113.7', 'dialog');
      await desk.press('Show the change', 'dialog');
      await desk.waitForText('verdict: allow');
      await desk.waitForText('5 requests would have been decided otherwise');
      await desk.press('Close', 'dialog');
    },
  );

  test.skipIf(!isThere)(
    'the live view shows new requests, but not while it is paused',
    async () => {
      await desk.press('Events', 'nav');
      await desk.press('Live');
      await desk.waitForText('Events, live');
      const path = `/live-${setup.browser}-${setup.width}`;
      // The page does not show whether the live view is connected, so requests are sent until one appears. They are
      // few, so that the lists still contain the requests of other tests.
      for (const wait of [700, 1_500, 4_000, 20_000]) {
        await visit(path, '192.0.2.1');
        const shownView = poll(
          () => desk.text(),
          (text) => text.includes(path),
          wait,
        );
        if (await shownView.then(Boolean, () => false)) break;
      }
      expect(await desk.text()).toContain(path);
      await desk.press('Pause');
      await visit('/not-shown', '192.0.2.1');
      await desk.waitForText('not shown.');
      expect(await desk.text()).not.toContain('/not-shown');
      await desk.press('Live');
    },
  );

  test.skipIf(!isThere)(
    `${second}: the page is not wider than the window, and axe finds no violation in the other views`,
    async () => {
      await desk.page.setViewport({ width, height: 900 });
      if (setup.browser === 'chrome') {
        await desk.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      }
      await inEachView(expectToFit);
      await findReference();
      await isRight('why');
      await desk.press('Close', 'dialog');
      await desk.press('Sign out');
      await desk.waitForText('Analytics key');
      await isRight('sign-in');
    },
  );

  test.skipIf(!isThere)('no request went to another host, and the console has no error', () => {
    const expected = /401/;
    expect(desk.problems.filter((problem) => !expected.test(problem))).toEqual([]);
  });
});

test.skipIf(!hasWindowedChromium)(
  'the link that Guard prints signs in, and after its key is revoked the page asks to sign in',
  async () => {
    const desk = await deskOf({ browser: 'chrome', width: 1280, scheme: 'light' });
    await desk.open(testbed.product.dashboardLinks[0] ?? '');
    await desk.waitForText('How it is going');
    await desk.press('Sign out');
    await desk.waitForText('Analytics key');
    await desk.page.type('#key', ANALYTICS_KEY);
    await desk.press('Sign in');
    await desk.waitForText('How it is going');
    const file = join(testbed.product.folder, 'guard.yaml');
    const settings = parse(await readFile(file, 'utf8')) as {
      organisations: { analytics_keys: object[] }[];
    };
    for (const organisation of settings.organisations) organisation.analytics_keys = [];
    await writeFile(file, stringify(settings));
    process.kill(testbed.product.pid, 'SIGHUP');
    await poll(
      () => Promise.resolve(testbed.product.log()),
      (log) => log.includes('reload_applied'),
    );
    // Perhaps another statement has already led to the form.
    await desk.pressIfThere('Refresh');
    await desk.waitForText('Analytics key');
  },
);
