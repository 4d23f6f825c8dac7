import { known } from '../evidence.ts';
import type { Case, Judge } from './case.ts';

/** A browser without a window: it says so somewhere, or lacks what comes with a window. */
export const judgeHeadless: Judge = (theCase) =>
  saysSo(theCase) || lacksWindow(theCase) ? 'headless_browser' : undefined;

/** A replaced User-Agent often leaves the name in the brands or in the worker. */
function saysSo({ evidence, request }: Case): boolean {
  const { hints, worker } = evidence.readings;
  const names = [
    evidence.agent.userAgent,
    request.userAgent,
    known(worker)?.userAgent ?? '',
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
