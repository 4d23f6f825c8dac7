import { isKnown, KnownGroups } from '../../verdict/pressure/known-groups.ts';

const HOUR_MS = 60 * 60_000;
/** The time constant of the current count, in milliseconds. All rates are passes in this time. */
const NOW_MS = 10 * 60_000;
/** The time constant of the normal count, in milliseconds. */
const NORMAL_MS = 24 * HOUR_MS;

/** Up to this multiple of the normal count the level is 0, because each day has quiet and busy hours. */
const FACTOR = 4;

/**
 * After a start, the usual number of passes is not known yet, and a busy site has visitors at once. So the first passes
 * are normal, up to a limit. They get the weight of `asIfForMs` of traffic, so that a later attack is above normal.
 */
const START = { forMs: NOW_MS, asIfForMs: 2 * HOUR_MS };

/**
 * Up to this many passes in ten minutes the level is 0. `atStart` is the number just after a start, when the normal
 * number is unknown.
 */
interface Floor {
  readonly passes: number;
  readonly atStart: number;
}

const FLOOR: Floor = { passes: 200, atStart: 1_500 };
/** The floor for all new classes together, and for all classes together. */
const FLOOR_OF_MANY: Floor = { passes: 2 * FLOOR.passes, atStart: 2 * FLOOR.atStart };
/**
 * The floor of one class while all classes together are above normal. A class that has only its usual number of passes
 * keeps level 0.
 */
const FLOOR_OF_FEW: Floor = { passes: FLOOR.passes / 10, atStart: FLOOR.atStart };

/**
 * Measures how often clients of one class (request/client-class.ts) pass, compared with the past of the class. An
 * attacker can rent many networks, but all its programs have the same class. Each thread counts only its own visitors,
 * both for the present and for the past.
 *
 * A program can change its class, because it chooses the ciphers that it offers. So all new classes are also counted
 * together, and all passes are counted together.
 *
 * Passes above the normal count raise it only slowly, so an attack of one day does not become normal.
 */
export class PassRates {
  readonly #startedAt: number;
  readonly #classes = new KnownGroups<Count>(
    (_name, nowMs) => new Count(nowMs, this.#startedAt),
    (count, nowMs) => this.#isKnown(count, nowMs),
  );
  readonly #newClasses: Count;
  readonly #allPasses: Count;

  constructor(nowMs: number) {
    this.#startedAt = nowMs;
    this.#newClasses = new Count(nowMs, nowMs);
    this.#allPasses = new Count(nowMs, nowMs);
  }

  /**
   * Adds `passes` to the counts. Returns level 0 when they are normal, and one level more for each doubling above
   * normal.
   */
  level(client: string, nowMs: number, passes: 0 | 1): number {
    const classCount = this.#classes.findOrAdd(client, nowMs);
    classCount.add(passes, nowMs, FLOOR);
    const level = classCount.level(nowMs, FLOOR);
    if (level > 0) return level;
    const isNew = !this.#isKnown(classCount, nowMs);
    // Just after a start all classes are new, so they are not counted as new.
    if (isNew && !isStart(this.#startedAt, nowMs)) {
      this.#newClasses.add(passes, nowMs, FLOOR_OF_MANY);
      const newClassesLevel = this.#newClasses.level(nowMs, FLOOR_OF_MANY);
      if (newClassesLevel > 0) return newClassesLevel;
    }
    // The passes of a class that is above normal are not in this sum, because the function has already returned for
    // them.
    this.#allPasses.add(passes, nowMs, FLOOR_OF_MANY);
    const overallLevel = this.#allPasses.level(nowMs, FLOOR_OF_MANY);
    if (overallLevel === 0 || isStart(this.#startedAt, nowMs)) return overallLevel;
    return classCount.level(nowMs, FLOOR_OF_FEW);
  }

  /**
   * Whether a class is known. The classes of the first minutes after a start are known when these minutes are over,
   * because people are among them.
   */
  #isKnown(count: Count, nowMs: number): boolean {
    return isStart(this.#startedAt, count.bornAt)
      ? !isStart(this.#startedAt, nowMs)
      : isKnown(count, nowMs);
  }
}

function isStart(startedAt: number, nowMs: number): boolean {
  return nowMs - startedAt < START.forMs;
}

/** The current and the normal number of passes. */
class Count {
  readonly bornAt: number;
  readonly #startedAt: number;
  #recent = 0;
  #normal = 0;
  #updatedAt: number;

  constructor(nowMs: number, startedAt: number) {
    this.bornAt = nowMs;
    this.#startedAt = startedAt;
    this.#updatedAt = nowMs;
  }

  add(passes: 0 | 1, nowMs: number, floor: Floor): void {
    const passedMs = Math.max(0, nowMs - this.#updatedAt);
    this.#updatedAt = nowMs;
    this.#recent = this.#recent * Math.exp(-passedMs / NOW_MS) + passes;
    this.#normal *= Math.exp(-passedMs / NORMAL_MS);
    const increase = passes * Math.min(1, this.#limit(nowMs, floor) / this.#recent);
    this.#normal += isStart(this.#startedAt, nowMs) ? increase * START_WEIGHT : increase;
  }

  level(nowMs: number, floor: Floor): number {
    const limit = this.#limit(nowMs, floor);
    return this.#recent <= limit ? 0 : Math.ceil(Math.log2(this.#recent / limit));
  }

  #limit(nowMs: number, { passes, atStart }: Floor): number {
    if (isStart(this.#startedAt, nowMs)) return atStart;
    const sinceStartMs = nowMs - this.#startedAt - START.forMs;
    const normal =
      ((this.#normal / knownShare(START.asIfForMs + sinceStartMs)) * NOW_MS) / NORMAL_MS;
    return Math.max(passes, FACTOR * normal);
  }
}

/** The share of the full normal count that has been counted after this time. */
function knownShare(forMs: number): number {
  return 1 - Math.exp(-forMs / NORMAL_MS);
}

const START_WEIGHT = knownShare(START.asIfForMs) / knownShare(START.forMs);
