import type { Budget } from '@guard/config/contract/ports';

/** Milliseconds of tolerance, because repeated additions of a fractional interval add rounding errors. */
const DRIFT_MS = 0.5;

// The generic cell rate algorithm: a full budget may come at once, and then one request in each interval. A counter
// is a time in epoch milliseconds: when the last request would have come if all were evenly spread.

/** Milliseconds until one more request fits. 0 when it fits now. */
export function waitFor(held: number, nowMs: number, { requests, perMs }: Budget): number {
  const waitMs = arrivalAt(held, nowMs, perMs) - nowMs - (perMs - perMs / requests);
  return waitMs <= DRIFT_MS ? 0 : waitMs;
}

/** The counter after one more request. The request must fit. */
export function withOneMore(held: number, nowMs: number, { requests, perMs }: Budget): number {
  return arrivalAt(held, nowMs, perMs) + perMs / requests;
}

/**
 * A counter beyond `nowMs + perMs` means that the clock was set back. It is ignored, so that no visitor is locked
 * out.
 */
function arrivalAt(held: number, nowMs: number, perMs: number): number {
  return held > nowMs + perMs + 1 ? nowMs : Math.max(held, nowMs);
}
