import puppeteer from 'rebrowser-puppeteer-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { puppeteerVisit } from './puppeteer-visit.ts';
import { RUNTIME_FIXES, withRuntimeFix } from './with-runtime-fix.ts';

/** The patches' default mode in all setups, the others without the script. */
export const rebrowserPuppeteerTools: readonly Tool[] = RUNTIME_FIXES.flatMap((mode) =>
  inAllSetups({
    name: `rebrowser-puppeteer-core, ${mode}`,
    needs: { packages: ['rebrowser-puppeteer-core'], programs: ['chromium', 'Xvfb'] },
    goal: 'stopped ≥ 90 %',
    visitWith: (setup) => withRuntimeFix(mode, puppeteerVisit(puppeteer, setup)),
  }).filter(({ variant }) => mode === RUNTIME_FIXES[0] || !variant.includes('script')),
);
