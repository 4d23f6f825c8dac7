import type { Match } from '../sections/rule.ts';

/** Uptime monitors whose claim is proved; reading only. */
export const monitors: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Monitoring'], verified: true },
};

/** Programs that make the card of a shared link, and whose claim is proved; reading only. */
export const linkPreviews: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Preview', 'Social Media'], verified: true },
};
