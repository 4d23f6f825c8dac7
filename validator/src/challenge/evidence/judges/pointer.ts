import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';

/** How much larger than its viewport a window with bars is at least, in CSS pixels. In kiosks it is not larger. */
const BARS_PX = 32;

/** A window with bars but no pointing device: a person uses only the keyboard, or there is no window. */
export const judgePointer: Judge = (theCase) =>
  pointsWithNothing(theCase) ? 'pointer_missing' : undefined;

/**
 * A desktop without mouse, pen, finger or hover, in a window with bars. A kiosk or a board without a mouse fills its
 * screen. Firefox with resistFingerprinting always reports a mouse.
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
