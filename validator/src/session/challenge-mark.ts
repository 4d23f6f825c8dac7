import type { ShownChallenge } from '../request/facts.ts';

/**
 * The mark of a session's first value says when the visitor was shown a challenge: 0 for no challenge, else the time
 * in steps of ten minutes, in 13 bits. So Guard knows without a store that a session has not answered its challenge
 * (contract 2.2, challenge_failure: "interstitial never cleared").
 */
const STEP_MS = 10 * 60_000;
/** The numbers repeat after this many steps, which is 56 days. The cookie lives 30. */
const STEPS = 0x1fff;

/**
 * The age in steps of a challenge that was not answered. After two steps, which are more than ten minutes, its ticket
 * has run out. Five steps are less than an hour, so the store still knows every session that was judged meanwhile.
 */
const UNCLEARED = { from: 2, to: 5 };

/** The mark. `challengedAt` is in milliseconds since the epoch. Undefined for no challenge. */
export function challengeMark(challengedAt: number | undefined): number {
  return challengedAt === undefined ? 0 : stepOf(challengedAt) + 1;
}

/** The state of the challenge of a session that was not judged. `none` also when the store may have forgotten it. */
export function shownChallenge(mark: number, nowMs: number): ShownChallenge {
  if (mark === 0) return 'none';
  const age = (stepOf(nowMs) - (mark - 1) + STEPS) % STEPS;
  if (age > UNCLEARED.to) return 'none';
  return age < UNCLEARED.from ? 'open' : 'uncleared';
}

function stepOf(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS) % STEPS;
}
