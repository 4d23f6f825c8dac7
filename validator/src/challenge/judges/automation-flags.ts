import { known } from '../evidence.ts';
import type { Judge } from './case.ts';

/** Chromium has refused floods of history updates since before this version. */
const FIRST_MAJOR = 90;
/**
 * The last version for which that was measured, and as many again as a year brings. A newer one may
 * have other limits: then this judge is silent instead of taking every visitor for a driver.
 */
const LAST_MAJOR = 156 + 13;

/**
 * Chromium without its protection from floods. Drivers switch it off on the command line
 * (`--disable-ipc-flooding-protection`, in the defaults of playwright and puppeteer), so that their
 * own navigations are not slowed; no setting of the browser does.
 */
export const judgeAutomationFlags: Judge = ({ evidence, claim }) => {
  const flooding = known(evidence.readings.flooding);
  const measured =
    claim.engine === 'chromium' && claim.major >= FIRST_MAJOR && claim.major <= LAST_MAJOR;
  if (!flooding || !measured) return undefined;
  return flooding.asked > 200 && flooding.granted >= flooding.asked
    ? 'automation_flags'
    : undefined;
};
