import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { claimsDesktop } from './plain-desktop.ts';

/**
 * A window with bars is at least this much taller than its viewport, in CSS pixels. The windows of kiosks have no bars.
 */
const BARS_PX = 32;

/**
 * Finds a browser that has a window with bars but no pointing device. Then the person uses only the keyboard, or there
 * is no real window.
 */
export const judgePointer: Judge = (theCase) =>
  pointsWithNothing(theCase) ? 'pointer_missing' : undefined;

/**
 * Whether a desktop browser has a window with bars, but reports no mouse, pen, touch or hover. Kiosks and electronic
 * boards without a mouse run in full screen. Firefox with resistFingerprinting always reports a mouse.
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
