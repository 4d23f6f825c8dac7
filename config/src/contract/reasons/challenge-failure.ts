import { inCategory, conclusive, outcome, weak } from '../reason-entry.ts';

/** The visitor did not pass a challenge, or cannot pass one (contract 2.2). */
export const challengeFailure = inCategory('challenge_failure', {
  interstitial_no_session: outcome('The session cookie of the challenge did not come back.'),
  challenge_invalid: outcome(
    'The answer to the challenge has a ticket that was never issued, or not in this form.',
  ),
  challenge_expired: outcome('The challenge was answered too late.'),
  challenge_outdated: outcome('The challenge was issued under other rules than those in use now.'),
  challenge_replayed: outcome('The same challenge was answered a second time.'),
  challenge_never_cleared: weak(
    'challenge',
    'The session was shown a challenge, did not answer it in time, and came again.',
  ),
  challenge_abandoned: outcome('The challenge page was loaded, and left before it was answered.'),
  challenge_incomplete: outcome(
    'The challenge was answered without the measurements that it asks for.',
  ),
  witness_mismatch: outcome(
    'Files were loaded that no browser loads for this challenge page, or another client than that of the page answered.',
  ),
  payload_replayed: conclusive(
    'challenge',
    'The same readings with the same timings were sent before, for another challenge.',
  ),
});
