import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

interface StackFormatting {
  prepareStackTrace?: unknown;
}

/**
 * Whether the console has a listener (developer tools, or a driver that enabled the Runtime domain of the DevTools
 * protocol). With a listener, Chromium formats the stack of each logged error at once. Other engines do not show this
 * to scripts. The error is logged with the level `debug`, which developer tools hide by default.
 */
export const inspector: Source<'inspector'> = () => {
  if (!isChromium()) return undefined;
  const formatting = Error as StackFormatting; // A property of the constructor that only V8 has.
  const { prepareStackTrace } = formatting;
  let stacksFormatted = 0;
  formatting.prepareStackTrace = () => {
    stacksFormatted += 1;
    return '';
  };
  try {
    globalThis.console.debug(new Error());
  } finally {
    if (prepareStackTrace === undefined) delete formatting.prepareStackTrace;
    else formatting.prepareStackTrace = prepareStackTrace;
  }
  return { stacksFormatted };
};
