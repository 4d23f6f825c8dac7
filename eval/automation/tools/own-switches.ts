import { chromium as patchright } from 'patchright-core';
import { chromium as playwright } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import rebrowserPuppeteer from 'rebrowser-puppeteer-core';
import type { Setup } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';
import { withRuntimeFix } from './with-runtime-fix.ts';

const VISITS: Readonly<Record<string, (setup: Setup) => Visit>> = {
  'playwright-core': (setup) => playwrightVisit(playwright, setup),
  'puppeteer-core': (setup) => puppeteerVisit(puppeteer, setup),
  'patchright-core': (setup) => playwrightVisit(patchright, setup),
  'rebrowser-puppeteer-core': (setup) =>
    withRuntimeFix('addBinding', puppeteerVisit(rebrowserPuppeteer, setup)),
};

/** Drivers that start the browser with the command line of a person, and wait before they read the page or do not. */
export const ownSwitchesTools: readonly Tool[] = Object.entries(VISITS).flatMap(
  ([name, visitWith]) =>
    [false, true].map((asksAtOnce) => ({
      name,
      variant: `headful, a person's command line${asksAtOnce ? ', asks the page at once' : ''}`,
      goal: 'stopped ≥ 90 %' as const,
      needs: { packages: [name], programs: ['chromium', 'Xvfb'] },
      visit: visitWith({ headless: false, disguise: 'own switches', asksAtOnce }),
    })),
);
