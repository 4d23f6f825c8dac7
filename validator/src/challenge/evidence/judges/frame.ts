import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * Compares the page with an empty frame, which is part of the same browser and must see the same properties. Scripts
 * that a driver injects into the page often miss the frame. `window.chrome` and plug-ins are not compared, because
 * browsers add them late.
 */
export const judgeFrame: Judge = ({ evidence }) => {
  const frame = valueOfReading(evidence.readings.frame);
  if (!frame) return undefined;
  if (frame.webdriver === true) return 'webdriver';
  // In some old engines the frame has no values yet.
  if (frame.userAgent === '') return undefined;
  const { userAgent, platform } = evidence.agent;
  return frame.userAgent !== userAgent || frame.platform !== platform
    ? 'frame_mismatch'
    : undefined;
};
