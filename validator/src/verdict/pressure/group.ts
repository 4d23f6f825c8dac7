import { LRUCache } from 'lru-cache';
import type { Facts } from '../../request/facts.ts';
import { OriginStrain } from './origin-strain.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Counts fade exponentially with this time. At a steady rate, the count is the number of requests in this time. */
const FADING_MS = 20_000;

/**
 * A count up to this is never pressure, even when fewer requests are normal. It is five requests a second of one kind
 * of client.
 */
export const FLOOR = 100;

/**
 * The same for many kinds together. It is higher, so that the requests that one kind may have are no pressure on the
 * others.
 */
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

/**
 * Counts the requests of one kind of client, or for one part of a site: how many come now, and how many are normal.
 */
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

  /**
   * Whether the group is under pressure. A time beyond `nowMs + HOLD_MS` means that the clock was set back. It is
   * ignored.
   */
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

/** Groups that are known, and as many that are new. The one unused longest starts anew. */
const MAX_GROUPS = 1_024;

/** A group that came again for this long is known. */
const KNOWN_AFTER_MS = 3_600_000;

/** Something that is counted, and since when. */
interface Born {
  readonly bornAt: number;
}

/**
 * The groups of one kind. A program can make as many new ones as it sends requests, and pushes no known one out: each
 * of them would have to last for an hour among the new ones.
 */
export class KnownGroups<Kind extends Born> {
  readonly #known = new LRUCache<string, Kind>({ max: MAX_GROUPS });
  readonly #new = new LRUCache<string, Kind>({ max: MAX_GROUPS });
  readonly #make: (name: string, nowMs: number) => Kind;
  readonly #isKnown: (group: Kind, nowMs: number) => boolean;

  constructor(
    make: (name: string, nowMs: number) => Kind,
    isKnownAt: (group: Kind, nowMs: number) => boolean = isKnown,
  ) {
    this.#make = make;
    this.#isKnown = isKnownAt;
  }

  /** Undefined for a group that never came, or that was forgotten. */
  find(name: string): Kind | undefined {
    return this.#known.get(name) ?? this.#new.get(name);
  }

  of(name: string, nowMs: number): Kind {
    const known = this.#known.get(name);
    if (known) return known;
    const found = this.#new.get(name);
    if (found === undefined) {
      const made = this.#make(name, nowMs);
      this.#new.set(name, made);
      return made;
    }
    if (this.#isKnown(found, nowMs)) {
      this.#new.delete(name);
      this.#known.set(name, found);
    }
    return found;
  }
}

export function isKnown({ bornAt }: Born, nowMs: number): boolean {
  return nowMs - bornAt >= KNOWN_AFTER_MS;
}

/** Longest name of a part, in UTF-16 code units: longer first segments with the same beginning share one. */
const MAX_SEGMENT = 64;

/** All paths of a site with the same first segment. */
export class PartOfSite extends Group {
  readonly origin: OriginStrain;

  constructor(name: string, nowMs: number) {
    super(name, nowMs, FLOOR_OF_MANY);
    this.origin = new OriginStrain(nowMs);
  }
}

/**
 * The part of a site that a request is for: site and first segment. Of several readings of the path the last one
 * counts, in which everything is decoded and resolved: `/x/../search` is for `/search`.
 */
export function nameOfPart({ foldedPaths }: Pick<Facts, 'foldedPaths'>, site: string): string {
  const path = foldedPaths.at(-1) ?? '/';
  const end = path.indexOf('/', 1);
  return `${site} ${path.slice(0, Math.min(MAX_SEGMENT, end === -1 ? path.length : end))}`;
}
