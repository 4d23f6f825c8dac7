import { valueOfReading, type ReadingValue } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { claimsDesktop } from './plain-desktop.ts';

/**
 * How much taller than the screen a window must be, in CSS pixels. Brave reports the viewport as the screen with a
 * window that is a few pixels larger. The bars of a real window are much larger.
 */
const BARS_PX = 32;

/** Finds a screen that is not a monitor. Phones and emulated phones are not checked. */
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
 * Drivers override the metrics: the screen gets exactly the size of the viewport, although the window is larger. In
 * full screen the window is not larger. A window moved over the edge has a viewport of another size.
 */
function isOverridden({ width, height, innerWidth, innerHeight, outerHeight }: Screen): boolean {
  return width === innerWidth && height === innerHeight && outerHeight >= height + BARS_PX;
}

/**
 * Whether the window is at least as large as the screen, and no scroll bar takes space. Only on Linux this shows that
 * there is no window, because a desktop draws scroll bars beside the content.
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
