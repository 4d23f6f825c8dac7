import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

interface StackFormatting {
  prepareStackTrace?: unknown;
}

/**
 * Whether something listens to the console. In Chromium a listener (developer tools, or a driver that
 * has enabled the Runtime domain of the DevTools protocol) makes the engine describe each logged
 * error at once, and with that format its stack; without one nothing formats it. Other engines have
 * no such hook. The line in the console is of the level that developer tools hide by default.
 */
export const inspector: Source<'inspector'> = () => {
  if (!isChromium()) return undefined;
  const formatting = Error as StackFormatting; // V8's own property of the constructor.
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
