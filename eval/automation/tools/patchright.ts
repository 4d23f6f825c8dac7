import { chromium } from 'patchright-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';

const needs = { packages: ['patchright-core'], programs: ['chromium', 'Xvfb'] };

export const patchrightTools: readonly Tool[] = [
  ...inAllSetups({
    name: 'patchright-core',
    needs,
    goal: 'stopped ≥ 90 %',
    visitWith: (setup) => playwrightVisit(chromium, setup),
  }),
  {
    name: 'patchright-core',
    variant: 'headful, as its README recommends',
    goal: 'stopped ≥ 90 %',
    needs,
    visit: playwrightVisit(chromium, { headless: false, disguise: 'no emulation' }),
  },
];
