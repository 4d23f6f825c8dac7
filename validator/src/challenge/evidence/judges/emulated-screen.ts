import { valueOfReading, type ReadingValue } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { claimsDesktop } from './plain-desktop.ts';

/**
 * A window must be this much taller than the screen for a finding, in CSS pixels. Brave reports the viewport as the
 * screen, and its window is only a few pixels larger. The bars of a real window are much larger.
 */
const BARS_PX = 32;

/** Finds a screen that is no real monitor. Phones and emulated phones are not checked. */
export const judgeEmulatedScreen: Judge = (theCase) => {
  const { evidence, claim } = theCase;
  const screen = valueOfReading(evidence.readings.screen);
  const touches = valueOfReading(evidence.readings.hardware)?.touchPoints ?? 0;
  if (!screen || !claimsDesktop(claim) || touches > 0 || claim.engine !== 'chromium') {
    return undefined;
  }
  return isOverridden(screen) || isHeadless(screen, theCase) ? 'emulated_screen' : undefined;
};

type Screen = ReadingValue<'screen'>;

/**
 * Whether a driver overrides the metrics: the screen has exactly the size of the viewport, although the window is
 * larger. In a person's browser this does not happen: in full screen the window is not larger, and otherwise the
 * viewport has another size than the screen.
 */
function isOverridden({ width, height, innerWidth, innerHeight, outerHeight }: Screen): boolean {
  return width === innerWidth && height === innerHeight && outerHeight >= height + BARS_PX;
}

/**
 * Whether the window is at least as large as the screen, and no scroll bar takes space. This shows a browser without a
 * window only on Linux, because Linux desktops draw scroll bars beside the content.
 */
function isHeadless(screen: Screen, { claim }: Case): boolean {
  const { width, height, innerWidth, innerHeight, outerWidth, outerHeight, scrollBar } = screen;
  const fillsScreenWidth =
    innerWidth === outerWidth && innerHeight === outerHeight && width === outerWidth;
  const exceedsScreen = outerWidth >= width + BARS_PX && outerHeight >= height + BARS_PX;
  return (
    claim.platform === 'linux' &&
    scrollBar === 0 &&
    (exceedsScreen || (fillsScreenWidth && height === outerHeight))
  );
}
