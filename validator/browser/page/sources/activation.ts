import type { ReadingValue } from '../../../page-contract/evidence.ts';
import { isChromium } from '../is-chromium.ts';

/** Inputs of a person that make a page count as used. */
const INPUTS = ['keydown', 'pointerdown', 'pointerup', 'mousedown', 'touchend', 'click'];

/**
 * Begins to watch; what is given back ends it, and reads. A page counts as used (HTML, user activation) only after
 * input, which the page sees as well. A driver that runs a script in a page of Chromium says that a person is behind
 * it, so that the script may do what a person may: then the page is used and saw no input. WebKit does the same for
 * the scripts of every application around it, so others are not asked. Of input only the number is kept.
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
