import type { Budget } from '@guard/config/contract/ports';

/** Tolerance in milliseconds, because repeated additions of a fractional interval add rounding errors. */
const DRIFT_MS = 0.5;

// The generic cell rate algorithm allows a full budget at once, and then one request in each interval. A counter is a
// time in epoch milliseconds, at which the budget is full again.

/** Milliseconds until one more request fits the budget; 0 when it fits now. */
export function waitFor(counter: number, nowMs: number, { requests, perMs }: Budget): number {
  const waitMs = arrivalAt(counter, nowMs, perMs) - nowMs - (perMs - perMs / requests);
  return waitMs <= DRIFT_MS ? 0 : waitMs;
}

/** The counter after one more request. The caller must check before that the request fits. */
export function withOneMore(counter: number, nowMs: number, { requests, perMs }: Budget): number {
  return arrivalAt(counter, nowMs, perMs) + perMs / requests;
}

/**
 * The value of a counter at this time, and at least `nowMs`. When the counter is later than `nowMs + perMs`, the clock
 * was set back. Then the counter is ignored, so that it locks out no visitor.
 */
function arrivalAt(counter: number, nowMs: number, perMs: number): number {
  return counter > nowMs + perMs + 1 ? nowMs : Math.max(counter, nowMs);
}
