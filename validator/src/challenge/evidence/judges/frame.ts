import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * An empty frame is part of the same browser and must see the same properties. Scripts that a driver injects into
 * the page often miss it. `window.chrome` and plug-ins are not compared, because browsers add them late.
 */
export const judgeFrame: Judge = ({ evidence }) => {
  const frame = known(evidence.readings.frame);
  if (!frame) return undefined;
  if (frame.webdriver === true) return 'webdriver';
  // Some old engines have not filled the frame yet, so it has no values.
  if (frame.userAgent === '') return undefined;
  const { userAgent, platform } = evidence.agent;
  return frame.userAgent !== userAgent || frame.platform !== platform
    ? 'frame_mismatch'
    : undefined;
};
