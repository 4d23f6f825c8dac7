import { fadeCount, follow } from './group.ts';

const MINUTE_MS = 60_000;

/** Guard has learned what is normal for an origin after this many answers and this much time. */
const LEARNT = { answers: 50, afterMs: 10 * MINUTE_MS };

/**
 * With fewer answers, or with bad answers to fewer addresses, the origin is never strained. So a few visitors cannot
 * cause strain.
 */
const LEAST_ANSWERS = 20;
const LEAST_ADDRESSES = 20;

/** An answer is slow when it takes this many times the normal time, and at least this many milliseconds. */
const SLOW = { times: 4, leastMs: 500 };

/** The origin is strained when the share of bad answers is above `leastShare`, and above `times` their normal share. */
const BAD = { times: 4, leastShare: 0.25 };

/**
 * How long visitors are challenged: `firstMs` at first, and then twice as long each time, up to `longestMs`. After
 * `againMs` without strain, the time starts at `firstMs` again.
 */
const HOLD = { firstMs: MINUTE_MS, longestMs: 16 * MINUTE_MS, againMs: 10 * MINUTE_MS };

type Strain = 'errors' | 'slow';

/** Measures how the origin answers for one part of a site. */
export class OriginStrain {
  #heldUntil = 0;
  #holdMs: number = HOLD.firstMs;
  #strain: Strain = 'errors';
  #answers = 0;
  #bad = 0;
  #errors = 0;
  #learning = 0;
  #normalMs = 0;
  #normalShare = 0;
  readonly #bornAt: number;
  #updatedAt: number;
  readonly #addresses = new Set<string>();
  #addressesSince: number;

  constructor(nowMs: number) {
    this.#bornAt = nowMs;
    this.#updatedAt = nowMs;
    this.#addressesSince = nowMs;
  }

  /** Whether visitors are challenged now, like Group.isHeld. */
  isHeld(nowMs: number): boolean {
    const leftMs = this.#heldUntil - nowMs;
    return leftMs > 0 && leftMs <= HOLD.longestMs;
  }

  /** The kind of strain while visitors are challenged. Undefined at other times. */
  strain(nowMs: number): Strain | undefined {
    return this.isHeld(nowMs) ? this.#strain : undefined;
  }

  /**
   * Counts one answer. `ms` is the time until its header section arrived. True when the origin becomes strained with
   * this answer.
   */
  countAnswer(status: number, ms: number, address: string, nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#updatedAt);
    this.#updatedAt = nowMs;
    const isError = status >= 500;
    const isBad = isError || (this.#isLearnt(nowMs) && ms > this.#slowMs());
    this.#answers = fadeCount(this.#answers, elapsedMs) + 1;
    this.#bad = fadeCount(this.#bad, elapsedMs) + (isBad ? 1 : 0);
    this.#errors = fadeCount(this.#errors, elapsedMs) + (isError ? 1 : 0);
    if (isBad) this.#noteAddress(address, nowMs);
    const isStrained = isBad && this.#isTooMuch(this.#bad, nowMs);
    const hasFailed = isStrained && this.#isTooMuch(this.#errors, nowMs);
    this.#learn(ms, isBad, elapsedMs, nowMs);
    if (!isStrained) return false;
    if (this.isHeld(nowMs)) {
      if (hasFailed) this.#strain = 'errors';
      return false;
    }
    this.#strain = hasFailed ? 'errors' : 'slow';
    const isAgain = nowMs - this.#heldUntil < HOLD.againMs;
    this.#holdMs = isAgain ? Math.min(this.#holdMs * 2, HOLD.longestMs) : HOLD.firstMs;
    this.#heldUntil = nowMs + this.#holdMs;
    return true;
  }

  #isLearnt(nowMs: number): boolean {
    return this.#learning >= LEARNT.answers && nowMs - this.#bornAt >= LEARNT.afterMs;
  }

  #slowMs(): number {
    return Math.max(SLOW.leastMs, SLOW.times * this.#normalMs);
  }

  #isTooMuch(bad: number, nowMs: number): boolean {
    if (this.#answers < LEAST_ANSWERS || this.#addresses.size < LEAST_ADDRESSES) return false;
    const normal = this.#isLearnt(nowMs) ? this.#normalShare : 0;
    return bad / this.#answers > Math.max(BAD.leastShare, BAD.times * normal);
  }

  #learn(ms: number, isBad: boolean, elapsedMs: number, nowMs: number): void {
    if (this.#isLearnt(nowMs)) {
      this.#normalMs = follow(this.#normalMs, ms, elapsedMs, 1);
      this.#normalShare = follow(this.#normalShare, this.#bad / this.#answers, elapsedMs, 0.01);
      return;
    }
    this.#learning += 1;
    this.#normalMs += (ms - this.#normalMs) / this.#learning;
    this.#normalShare += ((isBad ? 1 : 0) - this.#normalShare) / this.#learning;
  }

  #noteAddress(address: string, nowMs: number): void {
    if (nowMs - this.#addressesSince > MINUTE_MS) {
      this.#addresses.clear();
      this.#addressesSince = nowMs;
    }
    if (this.#addresses.size < LEAST_ADDRESSES) this.#addresses.add(address);
  }
}
