import { MARKER_FONTS } from '../../../../page-contract/marker-fonts.ts';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/**
 * Finds fonts of another system only. A weak finding, because a person's Windows browser under Wine can have these too.
 */
export const judgeFonts: Judge = (theCase) =>
  hasOnlyForeignFonts(theCase) ? 'fonts_mismatch' : undefined;

/**
 * Whether Chromium on Windows or a Mac has no font of this system but has fonts of another system. Fonts of another
 * system are no finding when the system's own fonts are there. A browser that shows no font at all is not checked.
 * Firefox and Safari are not checked, because their privacy modes choose the visible fonts.
 */
function hasOnlyForeignFonts({ evidence, claim }: Case): boolean {
  const presentFonts = valueOfReading(evidence.readings.fonts);
  const { engine, platform } = claim;
  if (!presentFonts || engine !== 'chromium' || (platform !== 'windows' && platform !== 'macos'))
    return false;
  const { [platform]: ownFonts, ...foreignFonts } = MARKER_FONTS;
  return (
    !ownFonts.some((name) => presentFonts.includes(name)) &&
    Object.values(foreignFonts)
      .flat()
      .some((name) => presentFonts.includes(name))
  );
}
