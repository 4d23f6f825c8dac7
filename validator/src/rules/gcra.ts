import type { Budget } from '@guard/config/contract/ports';

/** Tolerance in milliseconds, because repeated additions of a fractional interval add rounding errors. */
const DRIFT_MS = 0.5;

// The generic cell rate algorithm allows a full budget at once, and then one request in each interval. A counter is a
// time in epoch milliseconds: when the last request would have come if all requests were evenly spread.

/** Milliseconds until one more request fits; 0 when it fits now. */
export function waitFor(counter: number, nowMs: number, { requests, perMs }: Budget): number {
  const waitMs = arrivalAt(counter, nowMs, perMs) - nowMs - (perMs - perMs / requests);
  return waitMs <= DRIFT_MS ? 0 : waitMs;
}

/** The counter after one more request. The caller has checked that the request fits. */
export function withOneMore(counter: number, nowMs: number, { requests, perMs }: Budget): number {
  return arrivalAt(counter, nowMs, perMs) + perMs / requests;
}

/**
 * When a counter is beyond `nowMs + perMs`, the clock was set back. The counter is ignored, so that it locks out no
 * visitor.
 */
function arrivalAt(counter: number, nowMs: number, perMs: number): number {
  return counter > nowMs + perMs + 1 ? nowMs : Math.max(counter, nowMs);
}
