const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Time constant of the exponential decay. At a steady rate, the count is the number of requests in this time. */
const FADING_MS = 20_000;

/** A count up to this number is never pressure. It stands for five requests a second of one group. */
export const FLOOR = 100;

/** The same limit for groups with many client shapes. It is higher, so that one shape alone does not reach it. */
export const FLOOR_OF_MANY = 2 * FLOOR;

/** A count above this many times the normal count is pressure. */
const FAR_ABOVE = 10;

/** A group stays under pressure for this long after the last request above its limit. */
const HOLD_MS = MINUTE_MS;

/** The lowest normal count. Below it, FLOOR decides anyway. */
const LEAST_NORMAL = FLOOR / FAR_ABOVE;

/**
 * The normal count after a time. It doubles in an hour at most, and halves in twelve hours at most. So a flood of some
 * minutes hardly changes it, and a quiet night does not make the usual traffic of the morning look like pressure.
 */
export function follow(
  normal: number,
  count: number,
  elapsedMs: number,
  minNormal: number,
): number {
  if (count <= normal) return Math.max(count, normal * 2 ** (-elapsedMs / (12 * HOUR_MS)));
  // The count of one request stands for FADING_MS at most, so a long pause causes no further growth.
  const grown = Math.max(normal, minNormal) * 2 ** (Math.min(elapsedMs, FADING_MS) / HOUR_MS);
  return Math.min(count, grown);
}

/** The value to which a count decays in this time. */
export function fadeCount(count: number, elapsedMs: number): number {
  return count * Math.exp(-elapsedMs / FADING_MS);
}

/** Counts the recent requests of one group, and learns their normal number. */
export class Group {
  readonly name: string;
  readonly bornAt: number;
  readonly #floor: number;
  #heldUntil = 0;
  #count = 0;
  #normal = 0;
  #updatedAt: number;

  constructor(name: string, nowMs: number, floor: number) {
    this.name = name;
    this.#floor = floor;
    this.bornAt = nowMs;
    this.#updatedAt = nowMs;
  }

  /** Whether the group is under pressure. Ignores a time after `nowMs + HOLD_MS`: then the clock was set back. */
  isHeld(nowMs: number): boolean {
    const leftMs = this.#heldUntil - nowMs;
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  /** Counts one request. True when the group is under pressure, also when this request is the first above the limit. */
  add(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#updatedAt);
    this.#updatedAt = nowMs;
    this.#count = fadeCount(this.#count, elapsedMs) + 1;
    this.#normal = follow(this.#normal, this.#count, elapsedMs, LEAST_NORMAL);
    const limit = Math.max(this.#floor, FAR_ABOVE * this.#normal);
    // During pressure, half the limit is enough to continue it.
    const isFar = this.#count > (this.isHeld(nowMs) ? limit / 2 : limit);
    if (isFar) this.#heldUntil = nowMs + HOLD_MS;
    return this.isHeld(nowMs);
  }

  /** Subtracts the count of another group that is itself under pressure, because that group is the cause. */
  forget(cause: Group): void {
    this.#count = Math.max(0, this.#count - cause.#count);
  }
}
