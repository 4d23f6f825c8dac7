const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Counts fade with this time: at a steady rate as many are left as come in it. */
const FADING_MS = 20_000;

/** This many in {@link FADING_MS} are no pressure, however few are normal: five a second of one kind of client. */
export const FLOOR = 100;

/** Of many kinds together, so that what one of them may have is no pressure on the others. */
export const FLOOR_OF_MANY = 2 * FLOOR;

/** This many times its own normal is far above it. */
const FAR_ABOVE = 10;

/** A group is asked until this long after the last sign of pressure. */
const HOLD_MS = MINUTE_MS;

/** A normal of less than this makes no difference, because the floor is higher. */
const LEAST_NORMAL = FLOOR / FAR_ABOVE;

/**
 * A normal count after a time. It grows to twice itself in an hour, and falls to half in twelve: a flood that lasts for
 * minutes teaches it nothing, and the next morning is no surprise after a night.
 */
export function follow(normal: number, seen: number, elapsedMs: number, least: number): number {
  if (seen <= normal) return Math.max(seen, normal * 2 ** (-elapsedMs / (12 * HOUR_MS)));
  // A pause is no time in which it grew.
  const grown = Math.max(normal, least) * 2 ** (Math.min(elapsedMs, FADING_MS) / HOUR_MS);
  return Math.min(seen, grown);
}

/** What is left of a count after this many milliseconds. */
export function faded(count: number, elapsedMs: number): number {
  return count * Math.exp(-elapsedMs / FADING_MS);
}

/** Requests of one kind of client, or for one part of a site: how many come now, and how many are normal. */
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

  /** A time that is further away was set by a clock that has been set back since. */
  isHeld(nowMs: number): boolean {
    const leftMs = this.#heldUntil - nowMs;
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  /** Counts one request. True while the group is under pressure, and for the request that puts it there. */
  add(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#at);
    this.#at = nowMs;
    this.#count = faded(this.#count, elapsedMs) + 1;
    this.#normal = follow(this.#normal, this.#count, elapsedMs, LEAST_NORMAL);
    const limit = Math.max(this.#floor, FAR_ABOVE * this.#normal);
    // Once it is under pressure, half as many keep it there.
    const isFar = this.#count > (this.isHeld(nowMs) ? limit / 2 : limit);
    if (isFar) this.#heldUntil = nowMs + HOLD_MS;
    return this.isHeld(nowMs);
  }

  /** Forgets what a group counted that is under pressure by itself: another is not the cause of it. */
  forget(cause: Group): void {
    this.#count = Math.max(0, this.#count - cause.#count);
  }
}
