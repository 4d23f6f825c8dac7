import { valueOfReading, type ReadingValue } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

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
  const isDesktop =
    ['windows', 'macos', 'linux', 'chromeos'].includes(claim.platform) && touches === 0;
  if (!screen || !isDesktop || claim.engine !== 'chromium') return undefined;
  return isOverridden(screen) || isHeadless(screen, theCase) ? 'emulated_screen' : undefined;
};

type Screen = ReadingValue<'screen'>;

/**
 * Whether the screen has exactly the size of the viewport although the window is larger. Drivers override the metrics
 * like this. In full screen the window is not larger. A window moved over the edge has a viewport of another size.
 */
function isOverridden({ width, height, innerWidth, innerHeight, outerHeight }: Screen): boolean {
  return width === innerWidth && height === innerHeight && outerHeight >= height + BARS_PX;
}

/**
 * Whether there is no window on Linux: the window is at least as large as the screen, and no scroll bar takes space,
 * although a desktop draws scroll bars beside the content. This is only certain on Linux.
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
