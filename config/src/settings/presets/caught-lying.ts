import type { Match } from '../rule.ts';

/**
 * Who is shown to lie, or to be driven, is not let through for the path it asks for. What is left is
 * what every honest program has: it names itself, sends few headers, and comes from a hosting provider.
 */
export const CAUGHT_LYING: Match = {
  category: [
    'crawler_impersonator',
    'automated_browser',
    'fingerprint_mismatch',
    'challenge_failure',
  ],
};
