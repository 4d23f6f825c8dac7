import { finite } from '../clip.ts';
import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** One more than Chromium grants a frame within ten seconds. */
const ASKED = 201;
/** Further than any history reaches, so that a step there is counted and nothing else. */
const BEYOND = 99;

/**
 * Whether the browser protects itself from floods of history updates. Chromium always does, unless it
 * was started with a switch that drivers put on its command line; what it refuses, it refuses
 * silently. Only Chromium is asked: WebKit counts for the whole page and throws. The steps are those
 * of an empty frame, whose account is its own; all but the last lead nowhere, which costs a hundredth
 * of what updates do, and counts as much.
 */
export const flooding: Source<'flooding'> = ({ inside }) => {
  if (!inside || !isChromium()) return undefined;
  const { history } = inside;
  for (let step = 1; step < ASKED; step += 1) history.go(BEYOND);
  history.replaceState(ASKED, '');
  return { asked: ASKED, granted: finite(history.state) };
};
