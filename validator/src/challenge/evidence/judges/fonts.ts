import { MARKER_FONTS } from '../../../../page-contract/marker-fonts.ts';
import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** Fonts of another system. A weak finding, because a Windows browser under Wine has them too. */
export const judgeFonts: Judge = (theCase) =>
  lacksOwnFonts(theCase) ? 'fonts_mismatch' : undefined;

/**
 * Whether Chromium on Windows or a Mac has no font of this system but has fonts of another system. Additional fonts
 * mean nothing. A browser that shows no font at all is not checked. Firefox and Safari are not checked, because their
 * privacy modes choose the visible fonts.
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
