/** A challenge that was not passed, or cannot be (contract 2.2). */
export const challengeFailure = {
  interstitial_no_session: {
    category: 'challenge_failure',
    meaning: 'The session cookie of the challenge did not come back.',
  },
  challenge_invalid: {
    category: 'challenge_failure',
    meaning:
      'The challenge was answered with something that was never issued, or not in this form.',
  },
  challenge_expired: {
    category: 'challenge_failure',
    meaning: 'The challenge was answered too late.',
  },
  challenge_outdated: {
    category: 'challenge_failure',
    meaning: 'The challenge was issued under other rules than those in use now.',
  },
  challenge_replayed: {
    category: 'challenge_failure',
    meaning: 'The same challenge was answered a second time.',
  },
  challenge_never_cleared: {
    category: 'challenge_failure',
    strength: 'weak',
    group: 'challenge',
    meaning: 'The session was shown a challenge that ran out without an answer, and came again.',
  },
  challenge_abandoned: {
    category: 'challenge_failure',
    meaning: 'The challenge page was loaded, and was left before it had an answer.',
  },
  challenge_incomplete: {
    category: 'challenge_failure',
    meaning: 'The challenge was answered without the measurements that it asks for.',
  },
  witness_mismatch: {
    category: 'challenge_failure',
    meaning:
      'The challenge page loaded files that no browser loads under its rules, or another client than that of the page answered.',
  },
  payload_replayed: {
    category: 'challenge_failure',
    strength: 'conclusive',
    group: 'challenge',
    meaning: 'The same readings with the same timings were sent before, for another challenge.',
  },
} as const;
