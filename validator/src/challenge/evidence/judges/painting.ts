import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Shortest useful observation, in milliseconds: a browser that has just started draws late. */
const WATCHED_MS = 400;

/** Lowest number of timers that a free event loop runs. A busy loop runs fewer timers, and therefore draws late. */
const FREE_TICKS = 50;

/**
 * Finds a page that was visible and had time, but for which the browser drew no frame. So no person looks at it. The
 * finding is a note by default, because a slow graphics process causes it with people too.
 */
export const judgePainting: Judge = ({ evidence }) => {
  const painting = valueOfReading(evidence.readings.painting);
  if (!painting?.visible || painting.frameMs !== null) return undefined;
  return painting.watchedMs >= WATCHED_MS && painting.ticks >= FREE_TICKS
    ? 'page_not_painted'
    : undefined;
};
