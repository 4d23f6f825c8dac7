import type { ReadingValue } from '../../../page-contract/evidence.ts';
import { isChromium } from '../is-chromium.ts';

/** Inputs of a person that make a page count as used. */
const INPUTS = ['keydown', 'pointerdown', 'pointerup', 'mousedown', 'touchend', 'click'];

/**
 * Begins to watch. The returned function ends the watch and returns the reading. A page counts as used (HTML, user
 * activation) only after input, and the page sees this input. When a driver runs a script in a page of Chromium, it
 * tells the browser that a person is behind the script. Then the page counts as used and has seen no input. WebKit does
 * the same for scripts of every application around it, so only Chromium is asked. Of input only the number is kept.
 */
export function watchActivation(): () => ReadingValue<'activation'> | undefined {
  // Older browsers do not have it, but TypeScript assumes it.
  const { userActivation } = navigator as { readonly userActivation?: UserActivation };
  const before = userActivation?.isActive;
  const watching = new AbortController();
  let inputs = 0;
  const onInput = ({ isTrusted }: Event) => (inputs += Number(isTrusted));
  for (const name of INPUTS) {
    addEventListener(name, onInput, { capture: true, passive: true, signal: watching.signal });
  }
  return () => {
    watching.abort();
    if (!userActivation || before === undefined || !isChromium()) return undefined;
    return { before, after: userActivation.isActive, inputs };
  };
}
