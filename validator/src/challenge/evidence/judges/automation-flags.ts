import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/** Finds protections that drivers switch off by default. People cannot switch them off in the settings of a browser. */
export const judgeAutomationFlags: Judge = (theCase) =>
  letsFloods(theCase) || partitionsNothing(theCase) ? 'automation_flags' : undefined;

/** Chromium and Firefox have limited history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/**
 * Number of updates that no browser allows. It is far above every limit (Chromium 200, Firefox 1,000), because later
 * versions can raise their limit.
 */
const FLOOD = 5_000;

/**
 * Playwright and puppeteer switch the flood protection off by default, because it slows down their own navigations. In
 * Chromium they use `--disable-ipc-flooding-protection`. Firefox itself sets `dom.navigation.navigationRateLimit.count`
 * to 0 when Marionette or WebDriver BiDi starts.
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
 * Up to version 145 an administrator could switch the partition of storage off by policy. In later versions only
 * `--disable-features=ThirdPartyStoragePartitioning` does. Playwright, and tools based on it, set this switch by
 * default.
 */
const FIRST_ALWAYS_PARTITIONED = 146;

/**
 * The newest version in which partitions were measured. When the installed Chromium is newer, people-readings.test.ts
 * fails. Then measure again and raise this number.
 */
export const PARTITION_MEASURED = 156;

/**
 * About the number of versions in one year. Newer versions are not checked, because they could behave in another way,
 * and every visitor would get the finding.
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
