import { chromium as patchright } from 'patchright-core';
import { chromium as playwright } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import rebrowserPuppeteer from 'rebrowser-puppeteer-core';
import type { Setup } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';
import { withRuntimeFix } from './with-runtime-fix.ts';

const SETUP: Setup = { headless: false, disguise: 'own switches' };

const VISITS: Readonly<Record<string, Visit>> = {
  'playwright-core': playwrightVisit(playwright, SETUP),
  'puppeteer-core': puppeteerVisit(puppeteer, SETUP),
  'patchright-core': playwrightVisit(patchright, SETUP),
  'rebrowser-puppeteer-core': withRuntimeFix(
    'addBinding',
    puppeteerVisit(rebrowserPuppeteer, SETUP),
  ),
};

/** Drivers that start the browser with the command line of a person. */
export const ownSwitchesTools: readonly Tool[] = Object.entries(VISITS).map(([name, visit]) => ({
  name,
  variant: "headful, a person's command line",
  goal: 'stopped ≥ 90 %',
  needs: { packages: [name], programs: ['chromium', 'Xvfb'] },
  visit,
}));
