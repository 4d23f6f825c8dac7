import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { isPlainDesktop } from './plain-desktop.ts';

/** Finds protections that drivers switch off by default. No setting of a browser switches them off. */
export const judgeAutomationFlags: Judge = (theCase) =>
  letsFloods(theCase) || partitionsNothing(theCase) ? 'automation_flags' : undefined;

/** Chromium and Firefox have limited history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/** Far above every limit (Chromium 200, Firefox 1,000), because browsers may raise their limit. */
const FLOOD = 5_000;

/**
 * Playwright and puppeteer switch the flood protection off by default, because it slows down their own navigations: in
 * Chromium with `--disable-ipc-flooding-protection`, in Firefox with `dom.navigation.navigationRateLimit.count`, which
 * becomes 0 when Marionette or WebDriver BiDi starts.
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
 * Up to version 145 an administrator could switch the partition of storage off by policy. Since then only
 * `--disable-features=ThirdPartyStoragePartitioning` does. Playwright, and tools based on it, set it by default.
 */
const FIRST_ALWAYS_PARTITIONED = 146;

/**
 * The newest version in which the partition was measured. When the installed Chromium is newer, people-readings.test.ts
 * fails: measure again and raise this number.
 */
export const PARTITION_MEASURED = 156;

/** About the versions of one year. In newer versions the partition is unknown: the check could report every visitor. */
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
