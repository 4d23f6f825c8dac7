import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Shortest useful observation, in milliseconds: a browser that has just started draws late. */
const WATCHED_MS = 400;

/** Fewest timers of a free event loop. A busy loop runs fewer and therefore draws late. */
const FREE_TICKS = 50;

/**
 * Finds a document that was visible and had time, but for which no frame was drawn: no person looks at it. It is a note
 * by default, because a slow graphics process causes this with people too.
 */
export const judgePainting: Judge = ({ evidence }) => {
  const painting = valueOfReading(evidence.readings.painting);
  if (!painting?.visible || painting.frameMs !== null) return undefined;
  return painting.watchedMs >= WATCHED_MS && painting.ticks >= FREE_TICKS
    ? 'page_not_painted'
    : undefined;
};
