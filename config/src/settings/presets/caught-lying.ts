import type { Match } from '../sections/rule.ts';

/**
 * A visitor that was caught lying, or is a driven browser, is not let through for its path. The other findings
 * fit honest programs too: they name themselves, send few headers, and come from a hosting provider.
 */
export const CAUGHT_LYING: Match = {
  category: [
    'crawler_impersonator',
    'automated_browser',
    'fingerprint_mismatch',
    'challenge_failure',
  ],
};
