import puppeteer from 'puppeteer-core';
import { Builder } from 'selenium-webdriver';
import { Options } from 'selenium-webdriver/firefox.js';
import { waitForEnding } from '../wait-for-ending.ts';
import { environmentOn } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';

const FIREFOX = '/usr/bin/firefox-esr';

/** The tool uses WebDriver BiDi. */
function visitWithPuppeteer(headless: boolean): Visit {
  return async (url, resources) => {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: FIREFOX,
      headless,
      userDataDir: resources.profile,
      env: { ...environmentOn(resources), HOME: resources.profile },
    });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      return await waitForEnding(() => page.title());
    } finally {
      await browser.close();
    }
  };
}

/**
 * Selenium uses the geckodriver on the PATH. When geckodriver is missing, `needs` prevents that Selenium downloads it.
 */
const visitWithSelenium: Visit = async (url, { profile }) => {
  const options = new Options().setBinary(FIREFOX).addArguments('-headless', '-profile', profile);
  const driver = await new Builder().forBrowser('firefox').setFirefoxOptions(options).build();
  try {
    await driver.get(url);
    return await waitForEnding(() => driver.getTitle());
  } finally {
    await driver.quit();
  }
};

export const firefoxDriverTools: readonly Tool[] = [
  ...[true, false].map((headless) => ({
    name: 'puppeteer-core, Firefox',
    variant: headless ? 'headless' : 'headful',
    goal: 'stopped 100 %' as const,
    needs: { packages: ['puppeteer-core'], programs: ['firefox-esr', 'Xvfb'] },
    visit: visitWithPuppeteer(headless),
  })),
  {
    name: 'selenium-webdriver, Firefox',
    variant: 'headless',
    goal: 'stopped 100 %',
    needs: { packages: ['selenium-webdriver'], programs: ['firefox-esr', 'geckodriver'] },
    visit: visitWithSelenium,
  },
];
