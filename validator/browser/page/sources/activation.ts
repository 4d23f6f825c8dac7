import type { ReadingValue } from '../../../page-contract/evidence.ts';
import { isChromium } from '../is-chromium.ts';

/** Input events that make a page count as used. */
const INPUTS = ['keydown', 'pointerdown', 'pointerup', 'mousedown', 'touchend', 'click'];

/**
 * Starts to watch. The returned function ends the watch and returns the reading. A page counts as used (HTML, user
 * activation) only after input, and the page sees this input. When a driver runs a script in a page of Chromium, it
 * marks the script as the action of a person. Then the page counts as used, although it has seen no input. WebKit does
 * the same for scripts of every application around it, so this is read only in Chromium.
 */
export function watchActivation(): () => ReadingValue<'activation'> | undefined {
  // Older browsers do not have this property, although its type says so.
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
