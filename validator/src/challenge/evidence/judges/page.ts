import { LIMITS } from '../../../../page-contract/limits.ts';
import { type Engine, type Platform, readPageClaim } from '../../../request/browser-claim.ts';
import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** What the page saw of the browser against what the request said, and against itself. */
export const judgePage: Judge = (theCase) =>
  saysAnotherAgent(theCase) ||
  runsOnAnotherSystem(theCase) ||
  isAnotherEngine(theCase) ||
  isTooOld(theCase)
    ? 'page_mismatch'
    : undefined;

/**
 * Header and page give one User-Agent. Firefox with resistFingerprinting (Tor Browser) may name
 * another system in the header than in the page, so of Firefox only the version has to agree.
 */
function saysAnotherAgent({ evidence, request, claim }: Case): boolean {
  if (request.userAgent.slice(0, LIMITS.userAgentChars) === evidence.agent.userAgent) return false;
  const sent = readPageClaim(request.userAgent);
  const bothFirefox = claim.engine === 'gecko' && sent.engine === 'gecko';
  return !(bothFirefox && claim.major === sent.major);
}

/** What `navigator.platform` begins with; systems that are not here have no rule. */
const platforms: Partial<Record<Platform, RegExp>> = {
  windows: /^Win/,
  macos: /^Mac/,
  // A phone or tablet that asks for desktop sites says X11 and Linux as well.
  linux: /^(?:Linux|Android|FreeBSD|OpenBSD|NetBSD)/,
};

/** Chromium only: the others are known to give fixed or empty platforms. */
function runsOnAnotherSystem({ evidence, claim }: Case): boolean {
  const { platform } = evidence.agent;
  if (claim.engine !== 'chromium' || platform === '') return false;
  return platforms[claim.platform]?.test(platform) === false;
}

/**
 * Chromium under the name of Firefox or of Safari on a Mac: what only Chromium has gives it away. On
 * iOS a browser's name says nothing sure about its engine.
 */
function isAnotherEngine({ evidence, claim }: Case): boolean {
  const claimsOther = claim.engine === 'gecko' || claim.engine === 'webkit';
  if (!claimsOther || claim.platform === 'ios') return false;
  const { engine, hints } = evidence.readings;
  return known(hints) !== undefined || known(engine)?.vendor === 'Google Inc.';
}

/** First majors that understand the program of the page (ES2020: `?.` and `??`). */
const RUNS_THE_PAGE_SINCE: Readonly<Record<Engine, number>> = {
  chromium: 80,
  gecko: 72,
  webkit: 13,
};

/**
 * A browser that could not have run the page which this upload comes from: one that has died out, or a version of
 * before 2020. Apps of Apple's systems name no engine, or no version of it. Goanna lives on under its own name.
 */
function isTooOld({ evidence, claim: { engine, major, platform } }: Case): boolean {
  if (engine === undefined)
    return platform !== 'macos' && !evidence.agent.userAgent.includes('Goanna/');
  return major !== 0 && major < RUNS_THE_PAGE_SINCE[engine];
}
