import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { claimsDesktop } from './plain-desktop.ts';

/** A window with bars is at least this much larger than its viewport, in CSS pixels. In kiosks it is not larger. */
const BARS_PX = 32;

/** Finds a window with bars but no pointing device: the person uses only the keyboard, or there is no window. */
export const judgePointer: Judge = (theCase) =>
  pointsWithNothing(theCase) ? 'pointer_missing' : undefined;

/**
 * Whether a desktop has no mouse, pen, finger or hover, in a window with bars. A kiosk or a board without a mouse is in
 * full screen. Firefox with resistFingerprinting always reports a mouse.
 */
export function pointsWithNothing({ evidence, claim }: Case): boolean {
  const { desktop, screen, hardware } = evidence.readings;
  const pointer = valueOfReading(desktop);
  const size = valueOfReading(screen);
  return (
    pointer !== undefined &&
    size !== undefined &&
    (claim.engine === 'chromium' || claim.engine === 'gecko') &&
    claimsDesktop(claim) &&
    valueOfReading(hardware)?.touchPoints === 0 &&
    !pointer.points &&
    !pointer.hovers &&
    size.outerHeight >= size.innerHeight + BARS_PX
  );
}
