import { known, type ReadingValue } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/**
 * How much taller than the screen the window must be, in CSS pixels. Brave gives the viewport as the
 * screen, and a window a few pixels larger; the bars of a real window are far more than that.
 */
const BARS_PX = 32;

/** A screen that is no monitor. Phones, and what emulates one, are left out. */
export const judgeEmulatedScreen: Judge = (theCase) => {
  const { evidence, claim } = theCase;
  const screen = known(evidence.readings.screen);
  const touches = known(evidence.readings.hardware)?.touchPoints ?? 0;
  const desktop =
    ['windows', 'macos', 'linux', 'chromeos'].includes(claim.platform) && touches === 0;
  if (!screen || !desktop || claim.engine !== 'chromium') return undefined;
  return isOverridden(screen) || isHeadless(screen, theCase) ? 'emulated_screen' : undefined;
};

type Screen = ReadingValue<'screen'>;

/**
 * The viewport to the pixel, under a window that is larger: drivers override the metrics so. In full
 * screen the window is no larger, and a window moved over the edge has another viewport.
 */
function isOverridden({ width, height, innerWidth, innerHeight, outerHeight }: Screen): boolean {
  return width === innerWidth && height === innerHeight && outerHeight >= height + BARS_PX;
}

/**
 * On Linux without a window: the window fills or exceeds the screen although nothing is drawn over the
 * content, where a desktop draws its scroll bars beside it. Only Linux is sure to do that.
 */
function isHeadless(screen: Screen, { claim }: Case): boolean {
  const { width, height, innerWidth, innerHeight, outerWidth, outerHeight, scrollBar } = screen;
  const filled = innerWidth === outerWidth && innerHeight === outerHeight && width === outerWidth;
  const exceeded = outerWidth >= width + BARS_PX && outerHeight >= height + BARS_PX;
  return (
    claim.platform === 'linux' &&
    scrollBar === 0 &&
    (exceeded || (filled && height === outerHeight))
  );
}
