import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Case, Judge } from './case.ts';
import { pointsWithNothing } from './pointer.ts';

/**
 * Finds a browser without a window: its name contains "Headless", or it lacks properties of a browser with a window.
 */
export const judgeHeadless: Judge = (theCase) =>
  namesHeadless(theCase) || lacksWindow(theCase) || lacksDesktop(theCase)
    ? 'headless_browser'
    : undefined;

/** A driver that replaces the User-Agent often leaves the name "Headless" in the brands or in a worker. */
function namesHeadless({ evidence, request }: Case): boolean {
  const { hints, worker, sharedWorker } = evidence.readings;
  const names = [
    evidence.agent.userAgent,
    request.userAgent,
    valueOfReading(worker)?.userAgent ?? '',
    valueOfReading(sharedWorker)?.userAgent ?? '',
    ...(valueOfReading(hints)?.brands.map(({ brand }) => brand) ?? []),
  ];
  return names.some((name) => name.includes('Headless'));
}

/**
 * Whether this is a disguised headless shell on a desktop: no `window.chrome`, no plug-in, and two different answers
 * about one permission. Each sign alone also occurs with people (embedded engines, a disabled PDF viewer, policies), so
 * all three are required. Screen sizes and software rendering are no signs, because people use small remote screens and
 * machines without a GPU.
 */
function lacksWindow({ evidence, claim }: Case): boolean {
  if (claim.engine !== 'chromium' || claim.platform === 'android') return false;
  const { chrome, plugins, permissions } = evidence.readings;
  const permission = valueOfReading(permissions);
  return (
    'unread' in chrome &&
    chrome.unread === 'absent' &&
    valueOfReading(plugins)?.plugins === 0 &&
    permission?.notification === 'denied' &&
    permission.query === 'prompt'
  );
}

/** The caption font of Firefox without a window, on every system. Firefox with a window uses the system's font. */
const NO_SYSTEM_FONT = '14px sans-serif';

/**
 * Whether there is no pointing device, and one more sign of a missing window: in Firefox its built-in caption font, in
 * Chromium graphics drawn by software. Since version 137, Chromium with a window does not use software graphics.
 */
function lacksDesktop(theCase: Case): boolean {
  const { readings } = theCase.evidence;
  if (!pointsWithNothing(theCase)) return false;
  return theCase.claim.engine === 'gecko'
    ? valueOfReading(readings.desktop)?.captionFont === NO_SYSTEM_FONT
    : valueOfReading(readings.graphics)?.renderer.includes('SwiftShader') === true;
}
