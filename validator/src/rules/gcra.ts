import type { Budget } from '@guard/config/contract/ports';

/** Tolerance in milliseconds, because repeated additions of a fractional interval add rounding errors. */
const DRIFT_MS = 0.5;

// The generic cell rate algorithm allows a full budget at once, and then one request in each interval. A counter is a
// time in epoch milliseconds: when the last request would have come if all requests were evenly spread.

/** Milliseconds until one more request fits; 0 when it fits now. */
export function waitFor(held: number, nowMs: number, { requests, perMs }: Budget): number {
  const waitMs = arrivalAt(held, nowMs, perMs) - nowMs - (perMs - perMs / requests);
  return waitMs <= DRIFT_MS ? 0 : waitMs;
}

/** The counter after one more request. The caller has checked that the request fits. */
export function withOneMore(held: number, nowMs: number, { requests, perMs }: Budget): number {
  return arrivalAt(held, nowMs, perMs) + perMs / requests;
}

/**
 * When a counter is beyond `nowMs + perMs`, the clock was set back. The counter is ignored, so that it locks out no
 * visitor.
 */
function arrivalAt(held: number, nowMs: number, perMs: number): number {
  return held > nowMs + perMs + 1 ? nowMs : Math.max(held, nowMs);
}
