import type { ShownChallenge } from '../request/facts.ts';

/**
 * What a session id says of the challenge it was minted with: 13 bits, 0 for none, else the time in steps of ten
 * minutes. So it is known without a store that a session was shown a
 * challenge and has not answered it (contract 2.2, challenge_failure: "interstitial never cleared").
 */

const STEP_MS = 10 * 60_000;
/** Steps before the numbers begin again: 56 days, and the cookie lives 30. */
const STEPS = 0x1fff;

/**
 * Over this many steps an unjudged session tells something. Two steps are more than ten minutes: its
 * ticket has run out. Five are less than an hour: had it been judged, the store would still know.
 */
const UNCLEARED = { from: 2, to: 5 };

/** `challengedAt` in milliseconds since the epoch, undefined for no challenge. */
export function challengeMark(challengedAt: number | undefined): number {
  return challengedAt === undefined ? 0 : stepOf(challengedAt) + 1;
}

/** For a session that was not judged. `none` also where a judgement may have been forgotten. */
export function shownChallenge(mark: number, nowMs: number): ShownChallenge {
  if (mark === 0) return 'none';
  const age = (stepOf(nowMs) - (mark - 1) + STEPS) % STEPS;
  if (age > UNCLEARED.to) return 'none';
  return age < UNCLEARED.from ? 'open' : 'uncleared';
}

function stepOf(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS) % STEPS;
}
