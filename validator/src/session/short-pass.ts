import type { Session } from '@guard/config/contract/ports';

/** How long the pass of a doubtful visitor is valid, in milliseconds. */
export const SHORT_PASS_MS = 10 * 60_000;

/** A short pass has this share of each budget. */
export const SHORT_PASS_PART = 1 / 10;

/** Whether the pass of a session is short, because its upload was doubtful. */
export function isShortPass({ state, reasons }: Session): boolean {
  return state === 'verified' && reasons.length > 0;
}
