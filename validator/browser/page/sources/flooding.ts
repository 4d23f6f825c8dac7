import { finite } from '../clip.ts';
import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** One more than Chromium grants a frame within ten seconds. */
const ASKED = 201;

/**
 * Whether the browser protects itself from floods of history updates. Chromium always does, unless it
 * was started with a switch that drivers put on its command line; what it refuses, it refuses
 * silently. Only Chromium is asked: WebKit counts for the whole page and throws. The updates are those
 * of an empty frame, whose account is its own.
 */
export const flooding: Source<'flooding'> = ({ inside }) => {
  if (!inside || !isChromium()) return undefined;
  const { history } = inside;
  for (let update = 1; update <= ASKED; update += 1) history.replaceState(update, '');
  return { asked: ASKED, granted: finite(history.state) };
};
