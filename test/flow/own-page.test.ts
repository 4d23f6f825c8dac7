import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disguise } from '../kit/driven-chromium.ts';
import { launchPlain } from '../kit/plain-chromium.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/recording-origin.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';

const TEMPLATE = `<!doctype html><html lang="{{lang}}" dir="{{dir}}"><head>{{head}}
<style nonce="{{nonce}}">h2 { letter-spacing: 7px; }</style></head>
<body><h2>Welcome to the harbour</h2><main>{{challenge}}</main></body></html>`;

let folder: string;
let origin: RecordingOrigin;
let product: Product;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-own-page-'));
  await writeFile(join(folder, 'page.html'), TEMPLATE);
  origin = await startRecordingOrigin();
  // The driven browser arrives because the rule only monitors.
  const rules = [{ name: 'all', match: {}, detect: true, challenge: 'always', monitor: true }];
  const settings = storySettings(origin.url, { rules, top: { analytics: undefined } });
  // storySettings makes one organisation.
  const [acme] = settings['organisations'] as Readonly<Record<string, unknown>>[];
  const look = {
    branding: { accent: '#0a7d4f' },
    challenge_page: join(folder, 'page.html'),
  };
  product = await startProduct({ ...settings, organisations: [{ ...acme, ...look }] });
  browser = await launchPlain();
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await origin.close();
  await rm(folder, { recursive: true });
});

test('contract 3: a page and a colour of guard.yaml are what the visitor sees, and the check runs in it', async () => {
  const page = await (await browser.newContext(disguise(browser))).newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.route('**/.guard/verify', (route) => route.abort());
  await page.goto(`${product.addresses.gateway}/shelf`);
  await page.waitForSelector('text=The check did not finish', { state: 'visible' });
  expect(await page.isVisible('h2:text("Welcome to the harbour")')).toBe(true);
  const styles = `[getComputedStyle(document.querySelector('h2')).letterSpacing,
    getComputedStyle(document.querySelector('[data-screen=retry] button')).backgroundColor]`;
  expect(await page.evaluate(styles)).toEqual(['7px', 'rgb(10, 125, 79)']);
  await page.unroute('**/.guard/verify');
  await page.click('button:visible');
  await page.getByText('The origin has answered').waitFor();
  expect(origin.arrivals.map(({ url }) => url)).toContain('/shelf');
  // The aborted uploads are in the console as well; the policy of the page is not.
  expect(errors.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
});
