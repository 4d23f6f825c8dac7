import { inCategory, conclusive, outcome, weak } from '../reason-entry.ts';

/** A challenge that was not passed, or cannot be (contract 2.2). */
export const challengeFailure = inCategory('challenge_failure', {
  interstitial_no_session: outcome('The session cookie of the challenge did not come back.'),
  challenge_invalid: outcome(
    'The challenge was answered with something that was never issued, or not in this form.',
  ),
  challenge_expired: outcome('The challenge was answered too late.'),
  challenge_outdated: outcome('The challenge was issued under other rules than those in use now.'),
  challenge_replayed: outcome('The same challenge was answered a second time.'),
  challenge_never_cleared: weak(
    'challenge',
    'The session was shown a challenge that ran out without an answer, and came again.',
  ),
  challenge_abandoned: outcome(
    'The challenge page was loaded, and was left before it had an answer.',
  ),
  challenge_incomplete: outcome(
    'The challenge was answered without the measurements that it asks for.',
  ),
  witness_mismatch: outcome(
    'The challenge page loaded files that no browser loads under its rules, or another client than that of the page answered.',
  ),
  payload_replayed: conclusive(
    'challenge',
    'The same readings with the same timings were sent before, for another challenge.',
  ),
});
