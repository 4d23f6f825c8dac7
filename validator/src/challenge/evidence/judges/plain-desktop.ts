import { known } from '../../../../page-contract/evidence.ts';
import type { Case } from './case.ts';

/**
 * Chrome, Edge, Opera and what goes by their names. Applications that embed the engine (Electron,
 * CefSharp, QtWebEngine) and lesser browsers have features and versions of their own, and name
 * themselves: they are left out.
 */
const PLAIN_AGENT = /\) Chrome\/[\d.]+ Safari\/537\.36(?: (?:Edg|OPR)\/[\d.]+)?$/;

/** A desktop browser of Chromium. WebView on Android differs in much, and a phone in desktop mode calls itself Linux. */
export function isPlainDesktop({ evidence, claim }: Pick<Case, 'evidence' | 'claim'>): boolean {
  const touches = known(evidence.readings.hardware)?.touchPoints ?? 0;
  const desktop =
    ['windows', 'macos', 'chromeos'].includes(claim.platform) ||
    (claim.platform === 'linux' && touches === 0);
  return claim.engine === 'chromium' && desktop && PLAIN_AGENT.test(evidence.agent.userAgent);
}
