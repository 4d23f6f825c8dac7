import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { BrowserClaim } from '../../../request/browser-claim.ts';
import type { Case } from './case.ts';

/**
 * Chrome, Edge, Opera, and browsers that use their User-Agents. Applications that embed the engine (Electron, CefSharp,
 * QtWebEngine) and small browsers have other features and versions. They name themselves, so they do not match.
 */
const PLAIN_AGENT = /\) Chrome\/[\d.]+ Safari\/537\.36(?: (?:Edg|OPR)\/[\d.]+)?$/;

/** Whether this is a desktop browser with Chromium. A WebView differs, and a phone in desktop mode claims Linux. */
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
