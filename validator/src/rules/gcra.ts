import type { Budget } from '@guard/config/contract/ports';

/** Milliseconds of tolerance: repeated additions of a fractional interval drift upwards. */
const DRIFT_MS = 0.5;

// The generic cell rate algorithm: a full budget may come at once, then one each interval. A counter is when the last
// request would have come if all were evenly spread, in epoch milliseconds.

/** Milliseconds until one more request fits a counter; 0 when it fits now. */
export function waitFor(held: number, nowMs: number, { requests, perMs }: Budget): number {
  const waitMs = arrivalAt(held, nowMs, perMs) - nowMs - (perMs - perMs / requests);
  return waitMs <= DRIFT_MS ? 0 : waitMs;
}

/** The counter after one more request, which fits. */
export function withOneMore(held: number, nowMs: number, { requests, perMs }: Budget): number {
  return arrivalAt(held, nowMs, perMs) + perMs / requests;
}

/** A counter that is more than a whole budget ahead is of a clock that was set back. It must not lock out. */
function arrivalAt(held: number, nowMs: number, perMs: number): number {
  return held > nowMs + perMs + 1 ? nowMs : Math.max(held, nowMs);
}
