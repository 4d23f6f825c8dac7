import { known } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { pointsWithNothing } from './pointer.ts';

/** A browser without a window: it says so somewhere, or lacks what comes with a window. */
export const judgeHeadless: Judge = (theCase) =>
  saysSo(theCase) || lacksWindow(theCase) || lacksDesktop(theCase) ? 'headless_browser' : undefined;

/** A replaced User-Agent often leaves the name in the brands or in a worker. */
function saysSo({ evidence, request }: Case): boolean {
  const { hints, worker, sharedWorker } = evidence.readings;
  const names = [
    evidence.agent.userAgent,
    request.userAgent,
    known(worker)?.userAgent ?? '',
    known(sharedWorker)?.userAgent ?? '',
    ...(known(hints)?.brands.map(({ brand }) => brand) ?? []),
  ];
  return names.some((name) => name.includes('Headless'));
}

/**
 * The headless shell, disguised: on a desktop, no `window.chrome`, no plug-in at all, and two answers
 * about one permission. Each alone occurs with people (embedded engines, a PDF viewer that was turned
 * off, policies), so all three are asked for. Screen sizes and software rendering are not: people use
 * small remote screens and machines without a GPU.
 */
function lacksWindow({ evidence, claim }: Case): boolean {
  if (claim.engine !== 'chromium' || claim.platform === 'android') return false;
  const { chrome, plugins, permissions } = evidence.readings;
  const permission = known(permissions);
  return (
    'unread' in chrome &&
    chrome.unread === 'absent' &&
    known(plugins)?.plugins === 0 &&
    permission?.notification === 'denied' &&
    permission.query === 'prompt'
  );
}

/** Font of captions that Firefox takes without a window, on every system. With one it asks the system. */
const NO_SYSTEM_FONT = '14px sans-serif';

/**
 * Nothing to point with, and what a browser with a window does not have besides: in Firefox a font of its own for
 * captions, in Chromium graphics drawn by software, which it gives up with a window since version 137.
 */
function lacksDesktop(theCase: Case): boolean {
  const { readings } = theCase.evidence;
  if (!pointsWithNothing(theCase)) return false;
  return theCase.claim.engine === 'gecko'
    ? known(readings.desktop)?.captionFont === NO_SYSTEM_FONT
    : known(readings.graphics)?.renderer.includes('SwiftShader') === true;
}
