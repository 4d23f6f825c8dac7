import sparticuz from '@sparticuz/chromium';
import { chromium as patchright } from 'patchright-core';
import { chromium as playwright } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { addExtra } from 'puppeteer-extra';
import stealth from 'puppeteer-extra-plugin-stealth';
import { chromium as rebrowserPlaywright } from 'rebrowser-playwright-core';
import rebrowserPuppeteer from 'rebrowser-puppeteer-core';
import { inAllSetups, type Setup } from '../setups.ts';
import type { Tool, Visit } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';

const PROGRAMS = ['chromium', 'Xvfb'];

/** Drivers that do not hide that they control the browser. */
export const plainDriverTools: readonly Tool[] = [
  ...inAllSetups({
    name: 'playwright-core',
    needs: { packages: ['playwright-core'], programs: PROGRAMS },
    goal: 'stopped 100 %',
    visitWith: (setup) => playwrightVisit(playwright, setup),
  }),
  // The old headless mode of Chromium. It is a separate program that has no window.
  ...inAllSetups({
    name: 'playwright-core, headless shell',
    needs: { packages: ['playwright-core', '@sparticuz/chromium'], programs: [] },
    goal: 'stopped 100 %',
    visitWith: (setup) => playwrightVisit(playwright, setup, () => sparticuz.executablePath()),
  }).filter(({ variant }) => variant.startsWith('headless')),
  ...inAllSetups({
    name: 'puppeteer-core',
    needs: { packages: ['puppeteer-core'], programs: PROGRAMS },
    goal: 'stopped 100 %',
    visitWith: (setup) => puppeteerVisit(puppeteer, setup),
  }),
];

/** puppeteer with all evasions of the plug-in, as in the README of the plug-in. */
const stealthPuppeteer = addExtra(
  // The types require a method that puppeteer has removed. No code of this eval calls the method.
  puppeteer as unknown as Parameters<typeof addExtra>[0],
);
stealthPuppeteer.use(stealth());

const patchrightNeeds = { packages: ['patchright-core'], programs: PROGRAMS };

/** The modes in which the rebrowser patches reach a page without `Runtime.enable`. The first mode is their default. */
const RUNTIME_FIXES = ['addBinding', 'alwaysIsolated', 'enableDisable'] as const;
const FIX_VARIABLE = 'REBROWSER_PATCHES_RUNTIME_FIX_MODE';

/** The patches read their mode from the environment at each use. */
function withRuntimeFix(mode: (typeof RUNTIME_FIXES)[number], visit: Visit): Visit {
  return async (url, resources) => {
    const before = process.env[FIX_VARIABLE];
    process.env[FIX_VARIABLE] = mode;
    try {
      return await visit(url, resources);
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, FIX_VARIABLE);
      else process.env[FIX_VARIABLE] = before;
    }
  };
}

/**
 * The rebrowser tool in its default mode in all setups, and in the other modes in the setups without the disguise
 * script.
 */
function rebrowserTools(name: string, visitWith: (setup: Setup) => Visit): Tool[] {
  return RUNTIME_FIXES.flatMap((mode) =>
    inAllSetups({
      name: `${name}, ${mode}`,
      needs: { packages: [name], programs: PROGRAMS },
      goal: 'stopped ≥ 90 %',
      visitWith: (setup) => withRuntimeFix(mode, visitWith(setup)),
    }).filter(({ variant }) => mode === RUNTIME_FIXES[0] || !variant.includes('script')),
  );
}

/** Drivers that hide that they control the browser. */
export const hidingDriverTools: readonly Tool[] = [
  ...inAllSetups({
    name: 'puppeteer-extra-plugin-stealth',
    needs: {
      packages: ['puppeteer-core', 'puppeteer-extra', 'puppeteer-extra-plugin-stealth'],
      programs: PROGRAMS,
    },
    goal: 'stopped ≥ 90 %',
    visitWith: (setup) => puppeteerVisit(stealthPuppeteer, setup),
  }),
  ...inAllSetups({
    name: 'patchright-core',
    needs: patchrightNeeds,
    goal: 'stopped ≥ 90 %',
    visitWith: (setup) => playwrightVisit(patchright, setup),
  }),
  {
    name: 'patchright-core',
    variant: 'headful, as its README recommends',
    goal: 'stopped ≥ 90 %',
    needs: patchrightNeeds,
    visit: playwrightVisit(patchright, { headless: false, disguise: 'no emulation' }),
  },
  ...rebrowserTools('rebrowser-playwright-core', (setup) =>
    playwrightVisit(rebrowserPlaywright, setup),
  ),
  ...rebrowserTools('rebrowser-puppeteer-core', (setup) =>
    puppeteerVisit(rebrowserPuppeteer, setup),
  ),
];

const visitMakers: Readonly<Record<string, (setup: Setup) => Visit>> = {
  'playwright-core': (setup) => playwrightVisit(playwright, setup),
  'puppeteer-core': (setup) => puppeteerVisit(puppeteer, setup),
  'patchright-core': (setup) => playwrightVisit(patchright, setup),
  'rebrowser-puppeteer-core': (setup) =>
    withRuntimeFix('addBinding', puppeteerVisit(rebrowserPuppeteer, setup)),
};

/**
 * Drivers that start the browser with the switches of a person's browser, in place of their own switches. They read the
 * page at once, or after a wait.
 */
export const personSwitchesTools: readonly Tool[] = Object.entries(visitMakers).flatMap(
  ([name, visitWith]) =>
    [false, true].map((readsAtOnce) => ({
      name,
      variant: `headful, a person's command line${readsAtOnce ? ', reads the page at once' : ''}`,
      goal: 'stopped ≥ 90 %' as const,
      needs: { packages: [name], programs: PROGRAMS },
      visit: visitWith({ headless: false, disguise: 'own switches', readsAtOnce: readsAtOnce }),
    })),
);
