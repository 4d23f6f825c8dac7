import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * An empty frame belongs to the same browser and must see the same one. What scripts of a driver put
 * over the page often misses it. `window.chrome` and plug-ins are left out: browsers build them late.
 */
export const judgeFrame: Judge = ({ evidence }) => {
  const frame = known(evidence.readings.frame);
  if (!frame) return undefined;
  if (frame.webdriver === true) return 'webdriver';
  // A frame that some old engines have not yet filled says nothing at all.
  if (frame.userAgent === '') return undefined;
  const { userAgent, platform } = evidence.agent;
  return frame.userAgent !== userAgent || frame.platform !== platform
    ? 'frame_mismatch'
    : undefined;
};
