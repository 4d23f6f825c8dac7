import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** How much larger than its viewport a window with bars is at least, in CSS pixels. In kiosks it is no larger. */
const BARS_PX = 32;

/** A window with bars, and nothing to point with: a person uses the keyboard alone, or there is no window. */
export const judgePointer: Judge = (theCase) =>
  pointsWithNothing(theCase) ? 'pointer_missing' : undefined;

/**
 * On a desktop neither mouse nor pen nor finger, and nothing that hovers, in a window that has bars. A kiosk or a board
 * without a mouse fills its screen. Firefox that resists fingerprinting always has a mouse.
 */
export function pointsWithNothing({ evidence, claim }: Case): boolean {
  const { desktop, screen, hardware } = evidence.readings;
  const pointer = known(desktop);
  const size = known(screen);
  return (
    pointer !== undefined &&
    size !== undefined &&
    (claim.engine === 'chromium' || claim.engine === 'gecko') &&
    ['windows', 'macos', 'linux', 'chromeos'].includes(claim.platform) &&
    known(hardware)?.touchPoints === 0 &&
    !pointer.points &&
    !pointer.hovers &&
    size.outerHeight >= size.innerHeight + BARS_PX
  );
}
