import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/** What drivers switch off by default, and no setting of the browser does. */
export const judgeAutomationFlags: Judge = (theCase) =>
  letsFloods(theCase) || partitionsNothing(theCase) ? 'automation_flags' : undefined;

/** Chromium and Firefox have refused floods of history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/** Far beyond every limit: 200 in Chromium, 1,000 in Firefox. So a version that raises its limit is not taken for a driver. */
const FLOOD = 5_000;

/**
 * Without its protection from floods. Chromium: `--disable-ipc-flooding-protection`, in the defaults of playwright and
 * puppeteer, so that their own navigations are not slowed. Firefox: `dom.navigation.navigationRateLimit.count`, which
 * it sets to 0 by itself when Marionette or WebDriver BiDi starts.
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
 * Chromium partitions storage from version 115 on. Up to 145 an administrator could turn that off by
 * policy; since then only `--disable-features=ThirdPartyStoragePartitioning` does, which is in the
 * defaults of playwright and what derives from it.
 */
const FIRST_ALWAYS_PARTITIONED = 146;

/**
 * The newest version in which the partition was measured. people-readings.test.ts fails when the installed Chromium is
 * newer: then measure it, and raise this.
 */
export const PARTITION_MEASURED = 156;

/**
 * As many versions as a year brings. In a newer one, nothing is known of the partition: then it is silent instead of
 * taking every visitor for a driver. Floods are asked for in every version.
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
