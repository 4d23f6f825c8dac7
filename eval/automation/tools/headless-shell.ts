import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';

/** The old headless mode, which is a program of its own and has no window to show. */
export const headlessShellTools: readonly Tool[] = inAllSetups({
  name: 'playwright-core, headless shell',
  needs: { packages: ['playwright-core', '@sparticuz/chromium'], programs: [] },
  goal: 'stopped 100 %',
  visitWith: (setup) => playwrightVisit(chromium, setup, () => sparticuz.executablePath()),
}).filter(({ variant }) => variant.startsWith('headless'));
