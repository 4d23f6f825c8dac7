import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { headerOf } from './header-of.ts';

/** Chrome or Edge without the licensed formats. Weak: other browsers of people can go by their names. */
export const judgeCodecs: Judge = (theCase) =>
  lacksOwnCodecs(theCase) ? 'codecs_mismatch' : undefined;

/**
 * Chrome and Edge on a desktop decode H.264 and AAC by themselves; builds of Chromium that leave the
 * licensed formats out, as drivers bring along, decode neither. Chromium under its own name is left
 * out, as are Brave, Opera and whatever else names itself. An answer counts only beside a yes to VP9,
 * which every Chromium has: some extensions say no to all.
 */
function lacksOwnCodecs(theCase: Case): boolean {
  const media = known(theCase.evidence.readings.media);
  if (!media || !claimsLicensedBrowser(theCase)) return false;
  const has = (format: 'h264' | 'aac' | 'vp9') =>
    media[format].plays !== '' || media[format].streams === true;
  return has('vp9') && !has('h264') && !has('aac');
}

const DESKTOPS: readonly string[] = ['windows', 'macos', 'linux', 'chromeos'];
const LICENSED_BRANDS: readonly string[] = ['Google Chrome', 'Microsoft Edge'];

function claimsLicensedBrowser({ evidence, request, claim }: Case): boolean {
  if (claim.engine !== 'chromium' || !DESKTOPS.includes(claim.platform)) return false;
  const sent = headerOf(request.headers['sec-ch-ua']);
  const seen = known(evidence.readings.hints)?.brands ?? [];
  return LICENSED_BRANDS.some(
    (name) => sent.includes(`"${name}"`) || seen.some(({ brand }) => brand === name),
  );
}
