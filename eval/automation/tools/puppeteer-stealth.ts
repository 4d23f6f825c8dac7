import puppeteer from 'puppeteer-core';
import { addExtra } from 'puppeteer-extra';
import stealth from 'puppeteer-extra-plugin-stealth';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';

/** puppeteer with all evasions of the plug-in, as its README sets it up. */
const hidden = addExtra(
  // Its types ask for a method that puppeteer has dropped and that nothing here calls.
  puppeteer as unknown as Parameters<typeof addExtra>[0],
);
hidden.use(stealth());

export const puppeteerStealthTools: readonly Tool[] = inAllSetups({
  name: 'puppeteer-extra-plugin-stealth',
  needs: {
    packages: ['puppeteer-core', 'puppeteer-extra', 'puppeteer-extra-plugin-stealth'],
    programs: ['chromium', 'Xvfb'],
  },
  goal: 'stopped ≥ 90 %',
  visitWith: (setup) => puppeteerVisit(hidden, setup),
});
