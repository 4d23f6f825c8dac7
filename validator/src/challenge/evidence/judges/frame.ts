import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * Compares the page with an empty frame. In one browser both must have the same properties. A driver often injects its
 * scripts only into the page, and not into the frame. `window.chrome` and plug-ins are not compared, because browsers
 * add them late.
 */
export const judgeFrame: Judge = ({ evidence }) => {
  const frame = valueOfReading(evidence.readings.frame);
  if (!frame) return undefined;
  if (frame.webdriver === true) return 'webdriver';
  // In some old engines the frame has no values at this time.
  if (frame.userAgent === '') return undefined;
  const { userAgent, platform } = evidence.agent;
  return frame.userAgent !== userAgent || frame.platform !== platform
    ? 'frame_mismatch'
    : undefined;
};
