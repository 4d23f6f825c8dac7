import type { ShownChallenge } from '../request/facts.ts';

/**
 * The first value of a session contains a mark of 13 bits: the time of the visitor's challenge in steps of ten minutes,
 * or 0 for no challenge. So Guard needs no store to find out that a challenge was not answered (contract 2.2,
 * challenge_failure: "interstitial never cleared").
 */
const STEP_MS = 10 * 60_000;
/** After this many steps (56 days) the numbers repeat. A browser keeps the cookie for only 30 days. */
const STEPS = 0x1fff;

/**
 * The age in steps at which a challenge is treated as unanswered. At two steps or more, over ten minutes have passed,
 * so its ticket has expired. At five steps or less, under an hour has passed, so the store still has every session that
 * was judged meanwhile.
 */
const UNCLEARED_STEPS = { from: 2, to: 5 };

/** Returns the mark. `challengedAt` is in epoch milliseconds, and undefined for no challenge. */
export function challengeMark(challengedAt: number | undefined): number {
  return challengedAt === undefined ? 0 : stepOf(challengedAt) + 1;
}

/**
 * The challenge of a session without a judgement. Also `none` when the challenge is so old that the store can have
 * forgotten a judgement.
 */
export function shownChallenge(mark: number, nowMs: number): ShownChallenge {
  if (mark === 0) return 'none';
  const age = (stepOf(nowMs) - (mark - 1) + STEPS) % STEPS;
  if (age > UNCLEARED_STEPS.to) return 'none';
  return age < UNCLEARED_STEPS.from ? 'open' : 'uncleared';
}

function stepOf(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS) % STEPS;
}
