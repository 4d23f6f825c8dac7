import { Builder } from 'selenium-webdriver';
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';
import { CHROMIUM, disguiseFlags, DISGUISE_SCRIPT } from '../chromium-setup.ts';
import { CHROMIUM_FLAGS } from '../../../test/kit/browsers/chromium-flags.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import { environmentOn, inAllSetups, type Setup } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';

function visitWith({ headless, disguise }: Setup): Visit {
  const disguised = disguise !== 'none';
  return async (url, resources) => {
    const options = new Options()
      .setChromeBinaryPath(CHROMIUM)
      .addArguments(...CHROMIUM_FLAGS, `--user-data-dir=${resources.profile}`)
      .addArguments(...(headless ? ['--headless=new'] : []))
      .addArguments(...(disguised ? disguiseFlags() : []));
    if (disguised) options.excludeSwitches('enable-automation');
    const service = new ServiceBuilder('/usr/bin/chromedriver').setEnvironment(
      environmentOn(resources),
    );
    const driver = await new Builder()
      .forBrowser('chrome')
      .setChromeOptions(options)
      .setChromeService(service)
      .build();
    try {
      if (disguise === 'flags and script') {
        await driver.sendDevToolsCommand('Page.addScriptToEvaluateOnNewDocument', {
          source: DISGUISE_SCRIPT,
        });
      }
      await driver.get(url);
      return await waitForEnding(() => driver.getTitle());
    } finally {
      await driver.quit();
    }
  };
}

export const seleniumTools: readonly Tool[] = inAllSetups({
  name: 'selenium-webdriver',
  needs: {
    packages: ['selenium-webdriver'],
    programs: ['chromium', 'chromedriver', 'Xvfb'],
  },
  goal: 'stopped 100 %',
  visitWith,
});
