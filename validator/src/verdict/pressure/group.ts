const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Counts fade exponentially with this time. At a steady rate, the count is the number of requests in this time. */
const FADING_MS = 20_000;

/** A count up to this is never pressure, also when fewer are normal: five a second of one kind of client. */
export const FLOOR = 100;

/** The same for many kinds together. It is higher, so that one kind alone is no pressure on the others. */
export const FLOOR_OF_MANY = 2 * FLOOR;

/** A count above this many times the normal is pressure. */
const FAR_ABOVE = 10;

/** A group is challenged until this long after the last sign of pressure. */
const HOLD_MS = MINUTE_MS;

/** The least normal count. Below it the floor decides anyway. */
const LEAST_NORMAL = FLOOR / FAR_ABOVE;

/**
 * The normal count after a time. It doubles in an hour at most, and halves in twelve hours at most. So a flood of
 * some minutes hardly changes it, and after a quiet night the morning is still normal.
 */
export function follow(normal: number, seen: number, elapsedMs: number, least: number): number {
  if (seen <= normal) return Math.max(seen, normal * 2 ** (-elapsedMs / (12 * HOUR_MS)));
  // A long pause does not let it grow more.
  const grown = Math.max(normal, least) * 2 ** (Math.min(elapsedMs, FADING_MS) / HOUR_MS);
  return Math.min(seen, grown);
}

/** What is left of a count after this many milliseconds. */
export function faded(count: number, elapsedMs: number): number {
  return count * Math.exp(-elapsedMs / FADING_MS);
}

/** Counts the requests of one kind of client, or for one part of a site: those now, and the normal number. */
export class Group {
  readonly name: string;
  readonly bornAt: number;
  readonly #floor: number;
  #heldUntil = 0;
  #count = 0;
  #normal = 0;
  #at: number;

  constructor(name: string, nowMs: number, floor: number) {
    this.name = name;
    this.#floor = floor;
    this.bornAt = nowMs;
    this.#at = nowMs;
  }

  /** Whether the group is under pressure. A time after `nowMs + HOLD_MS` is ignored: the clock was set back. */
  isHeld(nowMs: number): boolean {
    const leftMs = this.#heldUntil - nowMs;
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  /** Counts one request. True when the group is under pressure, also when this request is the first one too many. */
  add(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#at);
    this.#at = nowMs;
    this.#count = faded(this.#count, elapsedMs) + 1;
    this.#normal = follow(this.#normal, this.#count, elapsedMs, LEAST_NORMAL);
    const limit = Math.max(this.#floor, FAR_ABOVE * this.#normal);
    // While it is under pressure, half the limit is enough to keep it there.
    const isFar = this.#count > (this.isHeld(nowMs) ? limit / 2 : limit);
    if (isFar) this.#heldUntil = nowMs + HOLD_MS;
    return this.isHeld(nowMs);
  }

  /** Subtracts the count of another group that is under pressure itself. That group is the cause, not this one. */
  forget(cause: Group): void {
    this.#count = Math.max(0, this.#count - cause.#count);
  }
}
