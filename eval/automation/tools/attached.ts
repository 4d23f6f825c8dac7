import { chromium as patchright } from 'patchright-core';
import { chromium as playwright } from 'playwright-core';
import { setTimeout as wait } from 'node:timers/promises';
import { waitForEnding } from '../wait-for-ending.ts';
import { startChromium } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

interface Page {
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
}
interface ConnectingDriver {
  connectOverCDP(url: string): Promise<{
    contexts(): readonly { newPage(): Promise<Page>; pages(): readonly Page[] }[];
    close(): Promise<void>;
  }>;
}

/** After this time a page without a driver has passed its challenge, also on a busy machine. */
const ALONE_MS = 12_000;

/** Attaches to a browser that was started like a person's, before or after the page was loaded. */
function attachTo(driver: ConnectingDriver, when: 'before' | 'after'): Visit {
  return async (url, resources) => {
    const chromium = await startChromium(resources, ...(when === 'after' ? [url] : []));
    try {
      if (when === 'after') await wait(ALONE_MS);
      const browser = await driver.connectOverCDP(chromium.endpoint);
      const [context] = browser.contexts();
      const page = when === 'after' ? context?.pages()[0] : await context?.newPage();
      if (page === undefined) throw new Error('nothing to attach to');
      if (when === 'before') await page.goto(url);
      return await waitForEnding(() => page.title());
    } finally {
      await chromium.close();
    }
  };
}

const DRIVERS = { 'playwright-core': playwright, 'patchright-core': patchright } as const;

/** Drivers that did not start the browser. */
export const attachedTools: readonly Tool[] = Object.entries(DRIVERS).flatMap(([name, driver]) =>
  (['before', 'after'] as const).map((when) => ({
    name,
    variant: `attached ${when} the page was loaded`,
    goal: 'stopped ≥ 90 %' as const,
    needs: { packages: [name], programs: ['chromium', 'Xvfb'] },
    visit: attachTo(driver, when),
  })),
);
