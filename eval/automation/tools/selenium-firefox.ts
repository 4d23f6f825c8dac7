import { Builder } from 'selenium-webdriver';
import { Options } from 'selenium-webdriver/firefox.js';
import { settled } from '../settled.ts';
import type { Tool, Visit } from '../tool.ts';

/** geckodriver is found on the PATH, or the tool is reported as not run: nothing is fetched. */
const visit: Visit = async (url, { profile }) => {
  const options = new Options()
    .setBinary('/usr/bin/firefox-esr')
    .addArguments('-headless', '-profile', profile);
  const driver = await new Builder().forBrowser('firefox').setFirefoxOptions(options).build();
  try {
    await driver.get(url);
    return await settled(() => driver.getTitle());
  } finally {
    await driver.quit();
  }
};

export const seleniumFirefoxTools: readonly Tool[] = [
  {
    name: 'selenium-webdriver, Firefox',
    variant: 'headless',
    goal: 'stopped 100 %',
    needs: { packages: ['selenium-webdriver'], programs: ['firefox-esr', 'geckodriver'] },
    visit,
  },
];
