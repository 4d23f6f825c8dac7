import { LIMITS } from '../../../../page-contract/limits.ts';
import { type Engine, type Platform, readPageClaim } from '../../../request/browser-claim.ts';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** Compares the page's readings with the request, and with each other. */
export const judgePage: Judge = (theCase) =>
  saysAnotherAgent(theCase) ||
  runsOnAnotherSystem(theCase) ||
  isAnotherEngine(theCase) ||
  isTooOld(theCase)
    ? 'page_mismatch'
    : undefined;

/**
 * Whether header and page have different User-Agents. For Firefox only the version is compared, because with
 * resistFingerprinting (Tor Browser) header and page can name different systems.
 */
function saysAnotherAgent({ evidence, request, claim }: Case): boolean {
  if (request.userAgent.slice(0, LIMITS.userAgentChars) === evidence.agent.userAgent) return false;
  const headerClaim = readPageClaim(request.userAgent);
  const areBothFirefox = claim.engine === 'gecko' && headerClaim.engine === 'gecko';
  return !(areBothFirefox && claim.major === headerClaim.major);
}

/** The start of `navigator.platform`. Systems that are not listed are not checked. */
const platforms: Partial<Record<Platform, RegExp>> = {
  windows: /^Win/,
  macos: /^Mac/,
  // A phone or tablet in desktop mode also claims X11 and Linux.
  linux: /^(?:Linux|Android|FreeBSD|OpenBSD|NetBSD)/,
};

/**
 * Whether Chromium runs on another system than it claims. Other browsers are not checked, because they report fixed or
 * empty platforms.
 */
function runsOnAnotherSystem({ evidence, claim }: Case): boolean {
  const { platform } = evidence.agent;
  if (claim.engine !== 'chromium' || platform === '') return false;
  return platforms[claim.platform]?.test(platform) === false;
}

/**
 * Whether Chromium claims to be Firefox, or Safari on a Mac. Features that only Chromium has show this. iOS is not
 * checked, because a browser's name does not determine its engine there.
 */
function isAnotherEngine({ evidence, claim }: Case): boolean {
  const claimsOther = claim.engine === 'gecko' || claim.engine === 'webkit';
  if (!claimsOther || claim.platform === 'ios') return false;
  const { engine, hints } = evidence.readings;
  return valueOfReading(hints) !== undefined || valueOfReading(engine)?.vendor === 'Google Inc.';
}

/** First major versions that can run the program of the page (ES2020: `?.` and `??`). */
const RUNS_THE_PAGE_SINCE: Readonly<Record<Engine, number>> = {
  chromium: 80,
  gecko: 72,
  webkit: 13,
};

/**
 * Whether the claimed browser could not have run this page: an extinct browser, or a version before 2020. Exceptions
 * are apps on Apple's systems, which name no engine or no version, and Goanna, an engine that is still developed.
 */
function isTooOld({ evidence, claim: { engine, major, platform } }: Case): boolean {
  if (engine === undefined)
    return platform !== 'macos' && !evidence.agent.userAgent.includes('Goanna/');
  return major !== 0 && major < RUNS_THE_PAGE_SINCE[engine];
}
