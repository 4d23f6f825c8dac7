import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { BrowserClaim } from '../../../request/browser-claim.ts';
import type { Case } from './case.ts';

/**
 * Matches Chrome, Edge, Opera, and browsers that use their User-Agents. It does not match applications that embed the
 * engine (Electron, CefSharp, QtWebEngine) or small browsers, because these add their own names. They have other
 * features and versions.
 */
const PLAIN_AGENT = /\) Chrome\/[\d.]+ Safari\/537\.36(?: (?:Edg|OPR)\/[\d.]+)?$/;

/**
 * Whether this is a desktop browser with the engine of Chromium. WebViews do not match, and neither do phones in
 * desktop mode, which claim Linux.
 */
export function isPlainDesktop({ evidence, claim }: Pick<Case, 'evidence' | 'claim'>): boolean {
  const touches = valueOfReading(evidence.readings.hardware)?.touchPoints ?? 0;
  return (
    claim.engine === 'chromium' &&
    claimsDesktop(claim) &&
    (claim.platform !== 'linux' || touches === 0) &&
    PLAIN_AGENT.test(evidence.agent.userAgent)
  );
}

/** Whether the User-Agent claims a desktop system. */
export function claimsDesktop({ platform }: BrowserClaim): boolean {
  return ['windows', 'macos', 'linux', 'chromeos'].includes(platform);
}
