import type { BrowserClaim, Platform } from '../../../request/browser-claim.ts';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { headerOf } from './header-of.ts';

/**
 * Compares client hints (headers of the upload, and `navigator.userAgentData`) with the User-Agent. Missing hints are
 * no evidence, because there are none on plain http and from embedded engines.
 */
export const judgeClientHints: Judge = (theCase) =>
  hintedMajors(theCase).some((major) => major !== theCase.claim.major) ||
  hintedPlatforms(theCase).some((platform) => contradicts(theCase.claim, platform)) ||
  losesVersions(theCase)
    ? 'client_hints_mismatch'
    : undefined;

/** The versions of the brand "Chromium". Every Chromium sends this brand in addition to its own name. */
function hintedMajors({ evidence, request, claim }: Case): number[] {
  if (claim.engine !== 'chromium') return [];
  const majors: number[] = [];
  const header = /"Chromium";\s*v="(\d{1,4})/.exec(headerOf(request.headers['sec-ch-ua']));
  if (header) majors.push(Number(header[1]));
  for (const { brand, version } of valueOfReading(evidence.readings.hints)?.brands ?? []) {
    if (brand === 'Chromium') majors.push(Number.parseInt(version, 10));
  }
  return majors;
}

function hintedPlatforms({ evidence, request }: Case): string[] {
  const header = headerOf(request.headers['sec-ch-ua-platform']).replaceAll('"', '');
  const page = valueOfReading(evidence.readings.hints)?.platform ?? '';
  return [header, page].filter((platform) => platform !== '');
}

/** The hint for each system. Linux is missing, because phones in desktop mode and unusual systems claim it too. */
const hintOf: Partial<Record<Platform, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  android: 'Android',
};

function contradicts({ platform }: BrowserClaim, hintedPlatform: string): boolean {
  if (platform === 'linux') return hintedPlatform === 'Windows' || hintedPlatform === 'macOS';
  const expectedHint = hintOf[platform];
  return expectedHint !== undefined && hintedPlatform !== expectedHint;
}

/**
 * Whether there are brands, but the list of full versions is empty. This happens when the command line of Chromium sets
 * the User-Agent. Old browsers, and pages without the permission to ask for the list, have no list at all. A driver can
 * replace the list in the page, but not in a shared worker.
 */
function losesVersions({ evidence }: Case): boolean {
  const { hints, sharedWorker } = evidence.readings;
  const page = valueOfReading(hints);
  const lists = [page?.fullVersions, valueOfReading(sharedWorker)?.fullVersions];
  return page !== undefined && page.brands.length > 0 && lists.includes(0);
}
