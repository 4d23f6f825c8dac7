import { chromium } from 'rebrowser-playwright-core';
import { inAllSetups } from '../setups.ts';
import type { Tool } from '../tool.ts';
import { playwrightVisit } from './playwright-visit.ts';
import { RUNTIME_FIXES, withRuntimeFix } from './with-runtime-fix.ts';

/** The patches' default mode in all setups, the others without the script. */
export const rebrowserPlaywrightTools: readonly Tool[] = RUNTIME_FIXES.flatMap((mode) =>
  inAllSetups({
    name: `rebrowser-playwright-core, ${mode}`,
    needs: { packages: ['rebrowser-playwright-core'], programs: ['chromium', 'Xvfb'] },
    goal: 'stopped ≥ 90 %',
    visitWith: (setup) => withRuntimeFix(mode, playwrightVisit(chromium, setup)),
  }).filter(({ variant }) => mode === RUNTIME_FIXES[0] || !variant.includes('script')),
);
