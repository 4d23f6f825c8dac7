import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/** Finds protections that drivers switch off by default. No setting of a browser switches them off. */
export const judgeAutomationFlags: Judge = (theCase) =>
  letsFloods(theCase) || partitionsNothing(theCase) ? 'automation_flags' : undefined;

/** Chromium and Firefox have limited history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/** Far above every limit (Chromium 200, Firefox 1,000), so that browsers may raise their limit. */
const FLOOD = 5_000;

/**
 * Whether the browser has no flood protection. Playwright and puppeteer switch it off by default, so that it does not
 * slow down their own navigations. In Chromium the switch is `--disable-ipc-flooding-protection`. In Firefox it is
 * `dom.navigation.navigationRateLimit.count`, which becomes 0 when Marionette or WebDriver BiDi starts.
 */
function letsFloods({ evidence, claim }: Case): boolean {
  const flooding = valueOfReading(evidence.readings.flooding);
  return (
    flooding !== undefined &&
    (claim.engine === 'chromium' || claim.engine === 'gecko') &&
    claim.major >= FIRST_WITHOUT_FLOODS &&
    flooding.asked >= FLOOD &&
    flooding.granted >= flooding.asked
  );
}

/**
 * Chromium partitions storage since version 115. Up to 145 an administrator could turn this off by policy. Since then
 * only `--disable-features=ThirdPartyStoragePartitioning` turns it off. Playwright, and tools based on it, set this by
 * default.
 */
const FIRST_ALWAYS_PARTITIONED = 146;

/**
 * The newest version in which the partition was measured. When the installed Chromium is newer, people-readings.test.ts
 * fails: measure again and raise this number.
 */
export const PARTITION_MEASURED = 156;

/**
 * About the number of versions in a year. In newer versions the partition is unknown, so the check is skipped.
 * Otherwise it could report every visitor. The flood check runs for every version.
 */
const VERSIONS_AHEAD = 13;

function partitionsNothing(theCase: Case): boolean {
  const { evidence, claim } = theCase;
  return (
    valueOfReading(evidence.readings.partition)?.crossed === true &&
    claim.major >= FIRST_ALWAYS_PARTITIONED &&
    claim.major <= PARTITION_MEASURED + VERSIONS_AHEAD &&
    isPlainDesktop(theCase)
  );
}
