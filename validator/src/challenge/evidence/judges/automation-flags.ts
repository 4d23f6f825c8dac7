import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/** Protections that drivers switch off by default and that browser settings do not switch off. */
export const judgeAutomationFlags: Judge = (theCase) =>
  letsFloods(theCase) || partitionsNothing(theCase) ? 'automation_flags' : undefined;

/** Chromium and Firefox have limited history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/** Far above every limit (Chromium 200, Firefox 1,000), so that a higher limit is not taken for a driver. */
const FLOOD = 5_000;

/**
 * Whether the browser lacks its flood protection. Chromium: `--disable-ipc-flooding-protection`, a default of
 * playwright and puppeteer, so that their own navigations are not slowed. Firefox:
 * `dom.navigation.navigationRateLimit.count`, which it sets to 0 when Marionette or WebDriver BiDi starts.
 */
function letsFloods({ evidence, claim }: Case): boolean {
  const flooding = known(evidence.readings.flooding);
  return (
    flooding !== undefined &&
    (claim.engine === 'chromium' || claim.engine === 'gecko') &&
    claim.major >= FIRST_WITHOUT_FLOODS &&
    flooding.asked >= FLOOD &&
    flooding.granted >= flooding.asked
  );
}

/**
 * Chromium partitions storage since version 115. Up to 145 an administrator could turn this off by policy. Since
 * then only `--disable-features=ThirdPartyStoragePartitioning` does, a default of playwright and tools based on it.
 */
const FIRST_ALWAYS_PARTITIONED = 146;

/**
 * The newest version in which the partition was measured. people-readings.test.ts fails when the installed Chromium
 * is newer: then measure again and raise this number.
 */
export const PARTITION_MEASURED = 156;

/**
 * About the number of versions in a year. For newer versions the partition is unknown. Then the check is skipped, so
 * that it does not report every visitor. The flood check runs for every version.
 */
const VERSIONS_AHEAD = 13;

function partitionsNothing(theCase: Case): boolean {
  const { evidence, claim } = theCase;
  return (
    known(evidence.readings.partition)?.crossed === true &&
    claim.major >= FIRST_ALWAYS_PARTITIONED &&
    claim.major <= PARTITION_MEASURED + VERSIONS_AHEAD &&
    isPlainDesktop(theCase)
  );
}
