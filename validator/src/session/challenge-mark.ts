import type { ShownChallenge } from '../request/facts.ts';

/**
 * The mark in the first value of a session says when the visitor got a challenge: 0 for no challenge, else the time in
 * steps of ten minutes, in 13 bits. So Guard can tell without a store that a session has not answered its challenge
 * (contract 2.2, challenge_failure: "interstitial never cleared").
 */
const STEP_MS = 10 * 60_000;
/** After this many steps (56 days) the numbers repeat. The cookie is kept for 30 days. */
const STEPS = 0x1fff;

/**
 * The age, in steps, of a challenge that was not answered. After two steps, which are more than ten minutes, its ticket
 * has expired. Five steps are less than an hour, so the store still has every session that was judged meanwhile.
 */
const UNCLEARED_STEPS = { from: 2, to: 5 };

/** Returns the mark. `challengedAt` is in epoch milliseconds. Undefined for no challenge. */
export function challengeMark(challengedAt: number | undefined): number {
  return challengedAt === undefined ? 0 : stepOf(challengedAt) + 1;
}

/** The challenge of a session that was not judged. It is `none` also when the store may have forgotten a judgement. */
export function shownChallenge(mark: number, nowMs: number): ShownChallenge {
  if (mark === 0) return 'none';
  const age = (stepOf(nowMs) - (mark - 1) + STEPS) % STEPS;
  if (age > UNCLEARED_STEPS.to) return 'none';
  return age < UNCLEARED_STEPS.from ? 'open' : 'uncleared';
}

function stepOf(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS) % STEPS;
}
