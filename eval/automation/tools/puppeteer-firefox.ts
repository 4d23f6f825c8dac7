import puppeteer from 'puppeteer-core';
import { settled } from '../settled.ts';
import { environmentOn } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';

function visitWith(headless: boolean): Visit {
  return async (url, place) => {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      headless,
      userDataDir: place.profile,
      env: { ...environmentOn(place), HOME: place.profile },
    });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      return await settled(() => page.title());
    } finally {
      await browser.close();
    }
  };
}

/** Firefox over WebDriver BiDi. */
export const puppeteerFirefoxTools: readonly Tool[] = [true, false].map((headless) => ({
  name: 'puppeteer-core, Firefox',
  variant: headless ? 'headless' : 'headful',
  goal: 'stopped 100 %',
  needs: { packages: ['puppeteer-core'], programs: ['firefox-esr', 'Xvfb'] },
  visit: visitWith(headless),
}));
