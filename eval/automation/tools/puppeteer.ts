import puppeteer from 'puppeteer-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';

export const puppeteerTools: readonly Tool[] = inAllSetups({
  name: 'puppeteer-core',
  needs: { packages: ['puppeteer-core'], programs: ['chromium', 'Xvfb'] },
  goal: 'stopped 100 %',
  visitWith: (setup) => puppeteerVisit(puppeteer, setup),
});
