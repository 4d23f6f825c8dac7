import { collect } from '../page/collect.ts';
import { sessionCookies } from '../page/session-cookie.ts';
import { mirror } from './mirror.ts';
import { openSession, sendEvidence } from './collector.ts';

/**
 * Runs when `begin` calls back. It does nothing when `window.guard` exists: then the script was loaded twice, or the
 * page has its own variable with this name, which must not change.
 */
export function runOnce(scriptUrl: string, begin: (callback: () => void) => void): void {
  if (Object.prototype.hasOwnProperty.call(window, 'guard')) return;
  let isInitialized = false;
  const guard = Object.freeze({
    /** True when the script has finished with any result (contract 6). */
    get initialized() {
      return isInitialized;
    },
  });
  // The property is writable like a variable of the page, so that a later script can declare the same name.
  const open = { configurable: true, enumerable: true, writable: true };
  Object.defineProperty(window, 'guard', { ...open, value: guard });

  begin(() => {
    upload(scriptUrl)
      // Errors of Guard must not appear among the page's errors.
      .catch(() => false)
      .then((isUploaded) => {
        isInitialized = true;
        if (isUploaded) dispatchEvent(new Event('GuardInitialized'));
      })
      .catch(() => undefined);
  });
}

/** Opens a session, collects evidence and uploads it. False when a step fails without an error. */
async function upload(scriptUrl: string): Promise<boolean> {
  const session = await openSession(scriptUrl, sessionCookies());
  if (session === undefined || !mirror(session.cookie)) return false;
  const { ticket, sheet, cookie } = session;
  const noQuestions = { witnesses: '', questions: '', echoUrl: undefined, isOwnPage: false };
  const evidence = await collect({ ticket, sheet, ...noQuestions });
  return sendEvidence(scriptUrl, { ticket, session: cookie.value, evidence });
}
