import { collect } from '../page/collect.ts';
import { sessionCookies } from '../page/session-cookie.ts';
import { mirror } from './mirror.ts';
import { openSession, sendEvidence } from './collector.ts';

/**
 * Runs when `begin` says so, unless this document has `window.guard` already: the script was loaded
 * twice, or the page has something of its own under that name, which is left alone.
 */
export function runOnce(source: string, begin: (callback: () => void) => void): void {
  if (Object.prototype.hasOwnProperty.call(window, 'guard')) return;
  let initialized = false;
  const guard = Object.freeze({
    /** True when the script has finished with any result (contract 6). */
    get initialized() {
      return initialized;
    },
  });
  // Writable like a variable of the page, so that a later script can declare the same name.
  const open = { configurable: true, enumerable: true, writable: true };
  Object.defineProperty(window, 'guard', { ...open, value: guard });

  begin(() => {
    upload(source)
      // Errors of Guard must not appear among the page's errors.
      .catch(() => false)
      .then((uploaded) => {
        initialized = true;
        if (uploaded) dispatchEvent(new Event('GuardInitialized'));
      })
      .catch(() => undefined);
  });
}

/** Session, evidence, upload: once and in this order. False when one of them fails. */
async function upload(source: string): Promise<boolean> {
  const opened = await openSession(source, sessionCookies());
  if (opened === undefined || !mirror(opened.cookie)) return false;
  const { ticket, sheet, cookie } = opened;
  const nothing = { witnesses: '', questions: '', echoUrl: undefined, isOwnPage: false };
  const evidence = await collect({ ticket, sheet, ...nothing });
  return sendEvidence(source, { ticket, session: cookie.value, evidence });
}
