import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { headerOf } from './header-of.ts';
import { claimsDesktop } from './plain-desktop.ts';

/** Finds Chrome or Edge without the licensed formats. A weak finding, because other browsers can claim these names. */
export const judgeCodecs: Judge = (theCase) =>
  lacksOwnCodecs(theCase) ? 'codecs_mismatch' : undefined;

/**
 * On a desktop, Chrome and Edge decode H.264 and AAC. Drivers bundle builds of Chromium without licensed formats, which
 * decode neither. Other brands are not checked. VP9 works in every Chromium. When it is missing too, there is no
 * finding, because some extensions deny all formats.
 */
function lacksOwnCodecs(theCase: Case): boolean {
  const media = valueOfReading(theCase.evidence.readings.media);
  if (!media || !claimsLicensedBrowser(theCase)) return false;
  const has = (format: 'h264' | 'aac' | 'vp9') =>
    media[format].plays !== '' || media[format].streams === true;
  return has('vp9') && !has('h264') && !has('aac');
}

const LICENSED_BRANDS: readonly string[] = ['Google Chrome', 'Microsoft Edge'];

function claimsLicensedBrowser({ evidence, request, claim }: Case): boolean {
  if (claim.engine !== 'chromium' || !claimsDesktop(claim)) return false;
  const brandsHeader = headerOf(request.headers['sec-ch-ua']);
  const pageBrands = valueOfReading(evidence.readings.hints)?.brands ?? [];
  return LICENSED_BRANDS.some(
    (name) => brandsHeader.includes(`"${name}"`) || pageBrands.some(({ brand }) => brand === name),
  );
}
