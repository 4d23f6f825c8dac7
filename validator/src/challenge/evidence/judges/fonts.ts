import { MARKER_FONTS } from '../../../../page-contract/marker-fonts.ts';
import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** Another system's fonts. Weak: a Windows browser under Wine has them, too. */
export const judgeFonts: Judge = (theCase) =>
  lacksOwnFonts(theCase) ? 'fonts_mismatch' : undefined;

/**
 * Chromium on Windows or a Mac that can draw none of the system's own fonts, and draws another's.
 * Fonts that were added say nothing, nor does a browser that admits to no font at all. Firefox and
 * Safari are left out: their privacy modes choose what fonts a page can see.
 */
function lacksOwnFonts({ evidence, claim }: Case): boolean {
  const drawn = known(evidence.readings.fonts);
  const { engine, platform } = claim;
  if (!drawn || engine !== 'chromium' || (platform !== 'windows' && platform !== 'macos'))
    return false;
  const { [platform]: own, ...others } = MARKER_FONTS;
  return (
    !own.some((name) => drawn.includes(name)) &&
    Object.values(others)
      .flat()
      .some((name) => drawn.includes(name))
  );
}
