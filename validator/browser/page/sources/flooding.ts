import { finite } from '../clip.ts';
import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** For each engine, one more history step than it allows a frame within ten seconds. */
const STEPS_ABOVE_LIMIT = { chromium: 201, gecko: 1_001 };
/**
 * Total number of steps when the engine allowed STEPS_ABOVE_LIMIT. A later version of the engine can have a higher
 * limit.
 */
const MAX_STEPS = 5_000;
/** The distance to an entry that no history has. The browser counts a step to this entry, and does nothing else. */
const NO_ENTRY = 99;
/** A function, which cannot be a history state. Firefox counts the step before it checks the state. */
const UNCLONEABLE = () => undefined;

/**
 * Whether the browser limits the number of history updates. Chromium and Firefox do, unless a driver switches the limit
 * off: by a switch on Chromium's command line, or by Firefox's settings for driven browsers
 * (`remote.prefs.recommended`). Other browsers are not tested: WebKit counts for the whole page and throws. The steps
 * are made in an empty frame, because each frame has its own count.
 */
export const flooding: Source<'flooding'> = ({ inside }) => {
  const steps = isChromium()
    ? STEPS_ABOVE_LIMIT.chromium
    : isFirefox()
      ? STEPS_ABOVE_LIMIT.gecko
      : undefined;
  if (!inside || steps === undefined) return undefined;
  const { history } = inside;
  flood(history, steps);
  if (history.state !== steps) return { asked: steps, granted: finite(history.state) };
  flood(history, MAX_STEPS - steps);
  return { asked: MAX_STEPS, granted: finite(history.state) };
};

/**
 * Makes this number of steps. The last step is an update, which stores its number unless the browser refuses it. The
 * browser counts all other steps too, but they change nothing, and take at most a tenth of the time of an update.
 */
function flood(history: History, steps: number): void {
  const stateBefore = finite(history.state);
  const makeStep = isChromium()
    ? () => history.go(NO_ENTRY)
    : () => attempt(() => history.replaceState(UNCLONEABLE, ''));
  for (let step = 1; step < steps; step += 1) makeStep();
  // Above the limit, Firefox throws an exception, and Chromium does nothing.
  attempt(() => history.replaceState(stateBefore + steps, ''));
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The state shows that the update was refused.
  }
}

function isFirefox(): boolean {
  return CSS.supports('-moz-appearance', 'none');
}
