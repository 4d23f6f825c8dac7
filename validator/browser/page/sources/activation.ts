import type { ReadingValue } from '../../../page-contract/evidence.ts';
import { isChromium } from '../is-chromium.ts';

/** Input events that activate a page (HTML, user activation). */
const INPUTS = ['keydown', 'pointerdown', 'pointerup', 'mousedown', 'touchend', 'click'];

/**
 * Starts to watch. The returned function ends the watch and returns the reading. For a person, a page becomes active
 * (HTML, user activation) only by input events, which the page sees. When a driver runs a script in Chromium, it marks
 * the script as the action of a person. Then the page is active although it has seen no input. WebKit does this for
 * scripts of every application that embeds it, so only Chromium is read.
 */
export function watchActivation(): () => ReadingValue<'activation'> | undefined {
  // Older browsers do not have this property, although TypeScript's type has it.
  const { userActivation } = navigator as { readonly userActivation?: UserActivation };
  const wasActive = userActivation?.isActive;
  const watching = new AbortController();
  let inputs = 0;
  const onInput = ({ isTrusted }: Event) => (inputs += Number(isTrusted));
  for (const name of INPUTS) {
    addEventListener(name, onInput, { capture: true, passive: true, signal: watching.signal });
  }
  return () => {
    watching.abort();
    if (!userActivation || wasActive === undefined || !isChromium()) return undefined;
    return { before: wasActive, after: userActivation.isActive, inputs };
  };
}
