const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Time constant of the exponential decay, in milliseconds. At a steady rate, the count is the number of requests in
 * this time.
 */
const FADING_MS = 20_000;

/** A count up to this number is never pressure. A group with five requests a second has this count. */
export const FLOOR = 100;

/** The limit for groups with many client shapes. It is higher, so that one shape alone does not reach it. */
export const FLOOR_OF_MANY = 2 * FLOOR;

/** A count above this many times the normal count is pressure. */
const FAR_ABOVE = 10;

/** A group stays under pressure for this long after its last request above the limit. */
const HOLD_MS = MINUTE_MS;

/** Growth starts from at least this normal count. Below this value, FLOOR is the limit anyway. */
const LEAST_NORMAL = FLOOR / FAR_ABOVE;

/**
 * The normal count after a time. It at most doubles in an hour, and at most halves in twelve hours. So a flood of some
 * minutes hardly changes it. After a quiet night, the usual traffic of the morning is no pressure.
 */
export function follow(
  normal: number,
  count: number,
  elapsedMs: number,
  minNormal: number,
): number {
  if (count <= normal) return Math.max(count, normal * 2 ** (-elapsedMs / (12 * HOUR_MS)));
  // One request causes the growth of at most FADING_MS, so a long pause before it causes no more growth.
  const grown = Math.max(normal, minNormal) * 2 ** (Math.min(elapsedMs, FADING_MS) / HOUR_MS);
  return Math.min(count, grown);
}

/** The value of a count after it has decayed for this time. */
export function fadeCount(count: number, elapsedMs: number): number {
  return count * Math.exp(-elapsedMs / FADING_MS);
}

/** Counts the recent requests of one group, and learns the normal count. */
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

  /**
   * Whether the group is under pressure. An end after `nowMs + HOLD_MS` is ignored, because it means that the clock was
   * set back.
   */
  isHeld(nowMs: number): boolean {
    const leftMs = this.#heldUntil - nowMs;
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  /** Counts one request. True when the group is under pressure, even when this request is the first above the limit. */
  add(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#updatedAt);
    this.#updatedAt = nowMs;
    this.#count = fadeCount(this.#count, elapsedMs) + 1;
    this.#normal = follow(this.#normal, this.#count, elapsedMs, LEAST_NORMAL);
    const limit = Math.max(this.#floor, FAR_ABOVE * this.#normal);
    // During pressure, a count above half the limit is enough to continue the pressure.
    const isFar = this.#count > (this.isHeld(nowMs) ? limit / 2 : limit);
    if (isFar) this.#heldUntil = nowMs + HOLD_MS;
    return this.isHeld(nowMs);
  }

  /** Subtracts the count of another group. That group is itself under pressure, and so it is the cause. */
  forget(cause: Group): void {
    this.#count = Math.max(0, this.#count - cause.#count);
  }
}
