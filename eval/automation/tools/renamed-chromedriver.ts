import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Builder } from 'selenium-webdriver';
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';
import { waitForEnding } from '../wait-for-ending.ts';
import { environmentOn } from '../setups.ts';
import { startChromium } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

/** Changes the program of the driver. `program` has one character for each byte. */
type Patch = (program: string) => string;

/** Makes a visit with a changed chromedriver, attached to a Chromium that was started like a person's. */
function visitWith(patch: Patch): Visit {
  return async (url, resources) => {
    const program = join(resources.profile, 'driver');
    await writeFile(program, patch(await readFile('/usr/bin/chromedriver', 'latin1')), 'latin1');
    await chmod(program, 0o700);
    const chromium = await startChromium(resources);
    try {
      const driver = await new Builder()
        .forBrowser('chrome')
        .setChromeOptions(new Options().debuggerAddress(new URL(chromium.endpoint).host))
        .setChromeService(new ServiceBuilder(program).setEnvironment(environmentOn(resources)))
        .build();
      try {
        await driver.get(url);
        return await waitForEnding(() => driver.getTitle());
      } finally {
        await driver.quit();
      }
    } finally {
      await chromium.close();
    }
  };
}

/** The replacements keep the length, so that offsets in the program stay valid. */
const PATCHES: Readonly<Record<string, Patch>> = {
  'chromedriver with its names changed': (program) => program.replaceAll('cdc_', 'qwx_'),
  'chromedriver without its names': (program) =>
    program.replaceAll(/\{window\.cdc_[^}]*\}/g, (block) => `{}${' '.repeat(block.length - 2)}`),
};

export const renamedChromedriverTools: readonly Tool[] = Object.entries(PATCHES).map(
  ([variant, patch]) => ({
    name: 'selenium-webdriver',
    variant: `headful, ${variant}`,
    goal: 'stopped ≥ 90 %',
    needs: { packages: ['selenium-webdriver'], programs: ['chromium', 'chromedriver', 'Xvfb'] },
    visit: visitWith(patch),
  }),
);
