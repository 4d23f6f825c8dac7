import { chromium } from 'playwright-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';

export const playwrightTools: readonly Tool[] = inAllSetups({
  name: 'playwright-core',
  needs: { packages: ['playwright-core'], programs: ['chromium', 'Xvfb'] },
  goal: 'stopped 100 %',
  visitWith: (setup) => playwrightVisit(chromium, setup),
});
