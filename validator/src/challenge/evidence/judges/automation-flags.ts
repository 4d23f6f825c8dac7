import { known } from '../evidence.ts';
import type { Case, Judge } from './case.ts';

/**
 * The last version in which the probes were measured, and as many again as a year brings. A newer one
 * may behave otherwise: then this judge is silent instead of taking every visitor for a driver.
 */
const LAST_MAJOR = 156 + 13;

/** A switch on the command line that drivers put there by default, and no setting of the browser does. */
export const judgeAutomationFlags: Judge = (theCase) =>
  theCase.claim.engine === 'chromium' &&
  theCase.claim.major <= LAST_MAJOR &&
  (letsFloods(theCase) || partitionsNothing(theCase))
    ? 'automation_flags'
    : undefined;

/** Chromium has refused floods of history updates since before this version. */
const FIRST_WITHOUT_FLOODS = 90;

/**
 * Chromium without its protection from floods: `--disable-ipc-flooding-protection`, in the defaults of
 * playwright and puppeteer, so that their own navigations are not slowed.
 */
function letsFloods({ evidence, claim }: Case): boolean {
  const flooding = known(evidence.readings.flooding);
  return (
    flooding !== undefined &&
    claim.major >= FIRST_WITHOUT_FLOODS &&
    flooding.asked > 200 &&
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
 * Chrome, Edge, Opera and what goes by their names. Applications that embed the engine (Electron,
 * CefSharp, QtWebEngine) and lesser browsers have features and versions of their own, and name
 * themselves: they are left out.
 */
const PLAIN_AGENT = /\) Chrome\/[\d.]+ Safari\/537\.36(?: (?:Edg|OPR)\/[\d.]+)?$/;

/** WebView on Android partitions nothing, and a phone in desktop mode calls itself Linux. */
function partitionsNothing({ evidence, claim }: Case): boolean {
  const touches = known(evidence.readings.hardware)?.touchPoints ?? 0;
  const desktop =
    ['windows', 'macos', 'chromeos'].includes(claim.platform) ||
    (claim.platform === 'linux' && touches === 0);
  return (
    known(evidence.readings.partition)?.crossed === true &&
    claim.major >= FIRST_ALWAYS_PARTITIONED &&
    desktop &&
    PLAIN_AGENT.test(evidence.agent.userAgent)
  );
}
