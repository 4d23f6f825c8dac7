import { isKnown, KnownGroups } from '../../verdict/pressure/known-groups.ts';

const HOUR_MS = 60 * 60_000;
/** A count forgets within this time, and is per this time. */
const NOW_MS = 10 * 60_000;
/** What is normal is forgotten within this time. */
const NORMAL_MS = 24 * HOUR_MS;

/** This many times the normal is no pressure: days have quiet hours and busy ones. */
const FACTOR = 4;

/**
 * The first passes after a start are normal, up to a limit: a busy site has visitors at once, and their usual number is
 * not known yet. They count as if they had come for `asIfForMs`, so that an attack after them stands out.
 */
const START = { forMs: NOW_MS, asIfForMs: 2 * HOUR_MS };

/** This many in ten minutes are never pressure, also after a start, when the normal number is not known. */
interface Floor {
  readonly passes: number;
  readonly atStart: number;
}

/** The floor of one class. */
const FLOOR: Floor = { passes: 200, atStart: 1_500 };
/** The floor of all new classes together, and of all classes together. */
const FLOOR_OF_MANY: Floor = { passes: 2 * FLOOR.passes, atStart: 2 * FLOOR.atStart };
/** The floor of one class when all classes together are too many. A class that comes as often as before is no cause. */
const FLOOR_OF_FEW: Floor = { passes: FLOOR.passes / 10, atStart: FLOOR.atStart };

/**
 * How often clients of one class (request/client-class.ts) pass, against their own past: many networks can be rented, and
 * their programs look alike. Each thread counts for itself, so both sides of the comparison are a part of the whole.
 *
 * A program chooses its class by the ciphers that it offers. So all classes that are new are counted together too, and
 * all that pass.
 *
 * What is above the normal raises it slowly: an attack that lasts a day is not normal by then, and a site that has grown is
 * within two.
 */
export class Tempo {
  readonly #since: number;
  readonly #classes = new KnownGroups<Count>(
    (_name, nowMs) => new Count(nowMs, this.#since),
    (count, nowMs) => this.#isKnown(count, nowMs),
  );
  readonly #newClasses: Count;
  readonly #all: Count;

  constructor(nowMs: number) {
    this.#since = nowMs;
    this.#newClasses = new Count(nowMs, nowMs);
    this.#all = new Count(nowMs, nowMs);
  }

  /** Counts a pass, or only looks. 0 where that is normal; each doubling above it is one more. */
  level(client: string, nowMs: number, passes: 0 | 1): number {
    const own = this.#classes.of(client, nowMs);
    own.add(passes, nowMs, FLOOR);
    const level = own.level(nowMs, FLOOR);
    if (level > 0) return level;
    const isNew = !this.#isKnown(own, nowMs);
    // After a start all are new.
    if (isNew && !isStart(this.#since, nowMs)) {
      this.#newClasses.add(passes, nowMs, FLOOR_OF_MANY);
      const together = this.#newClasses.level(nowMs, FLOOR_OF_MANY);
      if (together > 0) return together;
    }
    // Without what is too many by itself, which is not the cause.
    this.#all.add(passes, nowMs, FLOOR_OF_MANY);
    const ofAll = this.#all.level(nowMs, FLOOR_OF_MANY);
    if (ofAll === 0 || isStart(this.#since, nowMs)) return ofAll;
    return own.level(nowMs, FLOOR_OF_FEW);
  }

  /** What came in the first minutes, as soon as these are over: the classes of people are among it. */
  #isKnown(count: Count, nowMs: number): boolean {
    return isStart(this.#since, count.bornAt)
      ? !isStart(this.#since, nowMs)
      : isKnown(count, nowMs);
  }
}

function isStart(since: number, nowMs: number): boolean {
  return nowMs - since < START.forMs;
}

/** How many passes, now and normally. */
class Count {
  readonly bornAt: number;
  readonly #since: number;
  #now = 0;
  #normal = 0;
  #at: number;

  constructor(nowMs: number, since: number) {
    this.bornAt = nowMs;
    this.#since = since;
    this.#at = nowMs;
  }

  add(passes: 0 | 1, nowMs: number, floor: Floor): void {
    const passedMs = Math.max(0, nowMs - this.#at);
    this.#at = nowMs;
    this.#now = this.#now * Math.exp(-passedMs / NOW_MS) + passes;
    this.#normal *= Math.exp(-passedMs / NORMAL_MS);
    const raised = passes * Math.min(1, this.#limit(nowMs, floor) / this.#now);
    this.#normal += isStart(this.#since, nowMs) ? raised * START_WEIGHT : raised;
  }

  level(nowMs: number, floor: Floor): number {
    const limit = this.#limit(nowMs, floor);
    return this.#now <= limit ? 0 : Math.ceil(Math.log2(this.#now / limit));
  }

  #limit(nowMs: number, { passes, atStart }: Floor): number {
    if (isStart(this.#since, nowMs)) return atStart;
    const sinceStartMs = nowMs - this.#since - START.forMs;
    const normal = ((this.#normal / known(START.asIfForMs + sinceStartMs)) * NOW_MS) / NORMAL_MS;
    return Math.max(passes, FACTOR * normal);
  }
}

/** The part of the normal that is known after this time. */
function known(forMs: number): number {
  return 1 - Math.exp(-forMs / NORMAL_MS);
}

const START_WEIGHT = known(START.asIfForMs) / known(START.forMs);
