import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { CHROMIUM_FLAGS } from './chromium-flags.ts';
import { poll } from '../http.ts';
import type { Product } from '../product/start-product.ts';

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export interface BrowserSetup {
  readonly browser: 'chrome' | 'firefox';
  /** The width of the window in CSS pixels. */
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** The actions of a person on the dashboard in a real browser, and the visible results. */
export interface DashboardBrowser {
  readonly page: Page;
  /** Errors of the console and of the page, and requests to other hosts. */
  readonly problems: readonly string[];
  open(pathOrUrl: string): Promise<void>;
  /** Waits until the page shows a text, in any case of letters. */
  waitForText(text: string): Promise<void>;
  /** Presses the first visible button, link, tab or label with this text or name. */
  press(name: string, within?: string): Promise<void>;
  /** Presses such an element if it is visible now. Returns whether it was visible. */
  pressIfThere(name: string, within?: string): Promise<boolean>;
  /** The visible text. */
  text(): Promise<string>;
  /** The violations that axe finds (WCAG 2.2 AA). */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openDashboardBrowser(
  product: Product,
  setup: BrowserSetup,
): Promise<DashboardBrowser> {
  const dashboardUrl = product.addresses.dashboard;
  const browser = await launch(setup);
  const page = await browser.newPage();
  await page.setViewport({ width: setup.width, height: 900 });
  if (setup.browser === 'chrome') {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: setup.scheme }]);
  }
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboardUrl) && !request.url().startsWith('data:')) {
      problems.push(`request to another host: ${request.url()}`);
    }
  });
  // The types of the tests have no DOM, so code for the page is text.
  const pressIfThere = (name: string, container = 'body') =>
    page.evaluate(pressCode(name, container)) as Promise<boolean>;
  // The text is empty during a navigation.
  const text = () => page.evaluate('document.body.innerText').then(String, () => '');
  return {
    page,
    problems,
    text,
    async open(path) {
      await page.goto(new URL(path, dashboardUrl).href);
    },
    async waitForText(wantedText) {
      await poll(text, (shownText) => shownText.toLowerCase().includes(wantedText.toLowerCase()));
    },
    pressIfThere,
    async press(name, container = 'body') {
      await poll(
        () => pressIfThere(name, container),
        (isPressed) => isPressed,
      );
    },
    // A panel that is still loading can disturb axe, so only violations that stay are returned.
    async violations() {
      let violations: string[] = [];
      for (let round = 0; round < 5; round++) {
        violations = await violationsOf(page);
        if (violations.length === 0) return violations;
        await sleep(500);
      }
      return violations;
    },
    close: () => browser.close(),
  };
}

async function violationsOf(page: Page): Promise<string[]> {
  const isAxeLoaded = await page.evaluate("typeof axe === 'object'");
  if (isAxeLoaded !== true) await page.evaluate(axe.source);
  const found = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(AXE_TAGS)} })`,
  )) as axe.AxeResults;
  if (found.passes.length < 10) throw new Error('axe checked almost nothing');
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
}

function launch({ browser, scheme }: BrowserSetup): Promise<Browser> {
  if (browser === 'chrome') {
    const args = [...CHROMIUM_FLAGS];
    return puppeteer.launch({ browser, executablePath: '/usr/bin/chromium', args });
  }
  const override = scheme === 'dark' ? 0 : 1;
  return puppeteer.launch({
    browser,
    executablePath: '/usr/bin/firefox-esr',
    extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': override },
  });
}

/** Returns code for the page. The code returns true when it pressed an element. */
function pressCode(name: string, container: string): string {
  return `(() => {
    const name = ${JSON.stringify(name)};
    const all = [...document.querySelectorAll(${JSON.stringify(container)})].flatMap((place) => [
      ...place.querySelectorAll('button, a, label, summary, [role=tab]'),
    ]);
    const wordsOf = (element) => element.innerText.trim().replaceAll(/\\s+/g, ' ');
    const found = all.find(
      (element) =>
        (element.getAttribute('aria-label') === name || wordsOf(element) === name) &&
        element.getClientRects().length > 0 &&
        !element.disabled,
    );
    found?.click();
    return found !== undefined;
  })()`;
}
