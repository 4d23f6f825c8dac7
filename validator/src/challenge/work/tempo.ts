import { isKnown, KnownGroups } from '../../verdict/pressure/known-groups.ts';

const HOUR_MS = 60 * 60_000;
/** The time constant of the current count. Rates are per this time. */
const NOW_MS = 10 * 60_000;
/** The time constant of the normal count. */
const NORMAL_MS = 24 * HOUR_MS;

/** Up to this multiple of the normal count the level is 0, because each day has quiet and busy hours. */
const FACTOR = 4;

/**
 * The first passes after a start count as normal, up to a limit: a busy site has visitors at once, and its usual number
 * is not known yet. They have the weight of passes during `asIfForMs`, so that a later attack stands out.
 */
const START = { forMs: NOW_MS, asIfForMs: 2 * HOUR_MS };

/** Up to so many passes in ten minutes the level is 0, even after a start, when the normal number is unknown. */
interface Floor {
  readonly passes: number;
  readonly atStart: number;
}

const FLOOR: Floor = { passes: 200, atStart: 1_500 };
/** The floor for all new classes together, and for all classes together. */
const FLOOR_OF_MANY: Floor = { passes: 2 * FLOOR.passes, atStart: 2 * FLOOR.atStart };
/** The floor of one class while all classes together are above normal. A class with its usual number is no cause. */
const FLOOR_OF_FEW: Floor = { passes: FLOOR.passes / 10, atStart: FLOOR.atStart };

/**
 * Measures how often clients of one class (request/client-class.ts) pass, compared with their own past. An attacker can
 * rent many networks, but its programs look alike. Each thread counts for itself, so both sides of the comparison are a
 * share of the whole.
 *
 * A program chooses its class by the ciphers that it offers. So all new classes are also counted together, and all
 * passes are counted together.
 *
 * A count above the normal raises the normal only slowly. An attack of one day does not become normal.
 */
export class Tempo {
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

  /** Counts `passes`. Returns 0 when the count is normal, and one more for each doubling above it. */
  level(client: string, nowMs: number, passes: 0 | 1): number {
    const classCount = this.#classes.findOrAdd(client, nowMs);
    classCount.add(passes, nowMs, FLOOR);
    const level = classCount.level(nowMs, FLOOR);
    if (level > 0) return level;
    const isNew = !this.#isKnown(classCount, nowMs);
    // After a start all classes are new.
    if (isNew && !isStart(this.#startedAt, nowMs)) {
      this.#newClasses.add(passes, nowMs, FLOOR_OF_MANY);
      const newClassesLevel = this.#newClasses.level(nowMs, FLOOR_OF_MANY);
      if (newClassesLevel > 0) return newClassesLevel;
    }
    // This sum has no passes of a class that is above normal itself, because that case has returned above.
    this.#allPasses.add(passes, nowMs, FLOOR_OF_MANY);
    const overallLevel = this.#allPasses.level(nowMs, FLOOR_OF_MANY);
    if (overallLevel === 0 || isStart(this.#startedAt, nowMs)) return overallLevel;
    return classCount.level(nowMs, FLOOR_OF_FEW);
  }

  /** Whether a class is known. The classes of the first minutes, which include people's, are known after these. */
  #isKnown(count: Count, nowMs: number): boolean {
    return isStart(this.#startedAt, count.bornAt)
      ? !isStart(this.#startedAt, nowMs)
      : isKnown(count, nowMs);
  }
}

function isStart(startedAt: number, nowMs: number): boolean {
  return nowMs - startedAt < START.forMs;
}

/** Current and normal number of passes. */
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

/** The share of the normal count that is known after this time. */
function knownShare(forMs: number): number {
  return 1 - Math.exp(-forMs / NORMAL_MS);
}

const START_WEIGHT = knownShare(START.asIfForMs) / knownShare(START.forMs);

/** Whether a class is known. The classes of the start are known after it, because people are among them. */
