import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../src/pages/languages.ts';
import { type Gallery, openScreen, SCREENS, startGallery } from './testing/gallery.ts';
import { violations, violationsInBothSchemes } from '../../test/kit/browsers/accessibility.ts';
import { launchPlain } from '../../test/kit/browsers/plain-chromium.ts';

/** People who use a screen reader, only a keyboard, a zoomed page or high contrast must pass like other people. */

let browser: Browser;
let gallery: Gallery;

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launchPlain(), startGallery()]);
});
afterAll(async () => {
  await browser.close();
  gallery.server.closeAllConnections();
  gallery.server.close();
});

/** Opens one screen in a new browser context, and returns the result of `look`. */
async function onScreen<T>(
  name: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  await openScreen(page, gallery, name);
  const result = await look(page);
  await context.close();
  return result;
}

/** Two sums of red, green and blue: for the page's background, and for its visible heading. */
const lightnessOf = (page: Page) =>
  page.evaluate<{ readonly ground: number; readonly ink: number }>(`(() => {
    const shown = [...document.querySelectorAll('h1')].find((h1) => h1.checkVisibility());
    const sum = (color) => color.match(/[\\d.]+/g).slice(0, 3).reduce((all, one) => all + Number(one), 0);
    return {
      ground: sum(getComputedStyle(document.body).backgroundColor),
      ink: sum(getComputedStyle(shown).color),
    };
  })()`);

/** By how many pixels the text is wider than the window. Negative when it is not. */
async function overflowOf(page: Page): Promise<number> {
  const [textBox, result] = await Promise.all([
    page.locator('main').boundingBox(),
    page.locator('html').boundingBox(),
  ]);
  return (textBox?.x ?? 0) + (textBox?.width ?? 999) - (result?.width ?? 0);
}

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true } as const;

describe('WCAG 2.2 AA: axe finds nothing', () => {
  // axe cannot run without scripts, so a test below shows the screen without scripts in another way.
  test.each(SCREENS)(
    'on the %s screen, in light and dark colours, on desktop and phone; 1.4.10: it does not scroll sideways at 200 %% zoom',
    async (name) => {
      const javaScriptEnabled = name !== 'noscript';
      await onScreen(name, { javaScriptEnabled }, async (page) => {
        const violationsFound: string[] = [];
        for (const width of javaScriptEnabled ? [1280, 320] : []) {
          await page.setViewportSize({ width, height: 720 });
          violationsFound.push(...(await violationsInBothSchemes(page)));
        }
        expect(violationsFound).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        const dark = await lightnessOf(page);
        expect(dark.ground).toBeLessThan(dark.ink);
        await page.emulateMedia({ colorScheme: 'light' });
        const light = await lightnessOf(page);
        expect(light.ground).toBeGreaterThan(light.ink);
        // A phone with 320 pixels has 160 pixels at 200 %.
        await page.setViewportSize({ width: 160, height: 320 });
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      });
    },
  );

  test('on the screen without scripts', async () => {
    const violationsFound = await onScreen('checking', {}, async (page) => {
      await page.evaluate(`document.querySelector('[role=status]').remove();
        const still = document.querySelector('noscript');
        const shown = document.createElement('div');
        shown.innerHTML = still.textContent;
        still.replaceWith(shown);`);
      return violations(page);
    });
    expect(violationsFound).toEqual([]);
  });

  test.each(languages.filter(({ language }) => /^(?:ar|ja|de)/.test(language)))(
    'in $language',
    async ({ language, direction }) => {
      const result = await onScreen('failed', { locale: language }, async (page) => ({
        found: await violations(page),
        lang: await page.getAttribute('html', 'lang'),
        direction: await page.evaluate('getComputedStyle(document.querySelector("h1")).direction'),
      }));
      expect(result).toEqual({ found: [], lang: language, direction });
    },
  );
});

describe('WCAG 2.2: motion, contrast, keyboard and size', () => {
  test('2.3.3 nothing moves when people prefer reduced motion', async () => {
    const countAnimations = (page: Page) => page.evaluate('document.getAnimations().length');
    expect(await onScreen('checking', { reducedMotion: 'reduce' }, countAnimations)).toBe(0);
    expect(await onScreen('checking', { reducedMotion: 'no-preference' }, countAnimations)).toBe(1);
  });

  test('1.4.11 with forced colours a button has a visible border', async () => {
    const hasVisibleBorder = await onScreen('retry', { forcedColors: 'active' }, (page) =>
      page.evaluate(`(() => {
        const style = getComputedStyle(document.querySelector('[data-screen=retry] button'));
        const ground = getComputedStyle(document.querySelector('main')).backgroundColor;
        return style.borderTopStyle === 'solid' && style.borderTopColor !== ground;
      })()`),
    );
    expect(hasVisibleBorder).toBe(true);
  });

  test('2.1.1 and 2.4.3: Tab reaches the buttons of a screen in order, and nothing else', async () => {
    const reachedLabels = await onScreen('resend', {}, async (page) => {
      const labels: unknown[] = [];
      for (let press = 0; press < 2; press += 1) {
        await page.keyboard.press('Tab');
        labels.push(await page.evaluate('document.activeElement.textContent'));
      }
      return labels;
    });
    expect(reachedLabels).toEqual(['Send the form', 'Go back']);
  });

  test('2.4.7 the focus is visible', async () => {
    const outline = await onScreen('retry', {}, async (page) => {
      await page.keyboard.press('Tab');
      return page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    });
    expect(outline).toBe('solid');
  });

  test('2.5.8 buttons are at least 44 pixels high', async () => {
    const box = await onScreen('retry', PHONE, (page) =>
      page.locator('button:visible').boundingBox(),
    );
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});
