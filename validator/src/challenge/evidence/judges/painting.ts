import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Shortest watch that says something, in milliseconds: a browser that has just started draws late. */
const WATCHED_MS = 400;

/** Fewest timers of an event loop that was free; a busy one runs few, and draws late for that reason. */
const FREE_TICKS = 50;

/**
 * In view, with time on its hands, and no frame was drawn: a document that no person looks at. A note by default,
 * because a slow graphics process keeps people's browsers from drawing as well.
 */
export const judgePainting: Judge = ({ evidence }) => {
  const painting = known(evidence.readings.painting);
  if (!painting?.visible || painting.frameMs !== null) return undefined;
  return painting.watchedMs >= WATCHED_MS && painting.ticks >= FREE_TICKS
    ? 'page_not_painted'
    : undefined;
};
