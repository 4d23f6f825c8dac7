import type { Clock } from '@guard/config/contract/ports';

/** When a breaker opens, and for how long. */
export interface BreakerLimits {
  /** This many failures with no answer between them open it. */
  readonly failuresInARow: number;
  /** So does this share of the questions of one window, once there were enough to tell. */
  readonly failureShare: number;
  readonly enoughToTell: number;
  readonly windowMs: number;
  /** How long it stays open before one question is tried: at first, and after many trials that failed. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const BREAKER_LIMITS: BreakerLimits = {
  failuresInARow: 5,
  failureShare: 0.5,
  enoughToTell: 20,
  windowMs: 10_000,
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
};

/** `trial`: the one question by which an open breaker finds out whether to close. */
export type Admission = 'asked' | 'trial' | 'refused';

/** How an admitted question ended; `neither` says nothing about who was asked. */
export type Ended = 'answered' | 'failed' | 'neither';

export type BreakerChange =
  | { readonly kind: 'opened' | 'stayed_open'; readonly pauseMs: number }
  | { readonly kind: 'closed'; readonly openMs: number };

/**
 * Keeps questions from somebody who does not answer, so that nobody waits for the time limit, and tries
 * one question at a time, at growing intervals, until there is an answer again.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  readonly #onChange: (change: BreakerChange) => void;
  #state: 'closed' | 'open' | 'trying' = 'closed';
  #inARow = 0;
  #windowFrom = 0;
  #questions = 0;
  #failures = 0;
  #openedAt = 0;
  #pauseFrom = 0;
  #pauseMs = 0;

  constructor(clock: Clock, limits: BreakerLimits, onChange: (change: BreakerChange) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#state !== 'closed';
  }

  /** Each question that is not refused has to be settled. */
  admit(): Admission {
    switch (this.#state) {
      case 'closed':
        return 'asked';
      case 'trying':
        return 'refused';
      case 'open': {
        const pausedMs = this.#clock() - this.#pauseFrom;
        // Below zero the clock was set back, and the pause would have no end.
        if (pausedMs >= 0 && pausedMs < this.#pauseMs) return 'refused';
        this.#state = 'trying';
        return 'trial';
      }
    }
  }

  settle(admission: 'asked' | 'trial', ended: Ended): void {
    if (admission === 'trial') this.#settleTrial(ended);
    // What was asked before it opened is known to be late, and says nothing about now.
    else if (this.#state === 'closed') this.#count(ended);
  }

  #settleTrial(ended: Ended): void {
    const { longestPauseMs } = this.#limits;
    switch (ended) {
      case 'answered':
        this.#state = 'closed';
        this.#inARow = 0;
        this.#questions = 0;
        this.#failures = 0;
        this.#onChange({ kind: 'closed', openMs: this.#clock() - this.#openedAt });
        return;
      case 'failed':
        this.#pause(Math.min(this.#pauseMs * 2, longestPauseMs));
        this.#onChange({ kind: 'stayed_open', pauseMs: this.#pauseMs });
        return;
      case 'neither':
        this.#state = 'open';
    }
  }

  #count(ended: Ended): void {
    if (ended === 'neither') return;
    const { windowMs, failuresInARow, enoughToTell, failureShare, firstPauseMs } = this.#limits;
    const now = this.#clock();
    if (now < this.#windowFrom || now - this.#windowFrom >= windowMs) {
      this.#windowFrom = now;
      this.#questions = 0;
      this.#failures = 0;
    }
    this.#questions++;
    if (ended === 'answered') {
      this.#inARow = 0;
      return;
    }
    this.#inARow++;
    this.#failures++;
    const many =
      this.#questions >= enoughToTell && this.#failures >= failureShare * this.#questions;
    if (this.#inARow < failuresInARow && !many) return;
    this.#openedAt = now;
    this.#pause(firstPauseMs);
    this.#onChange({ kind: 'opened', pauseMs: firstPauseMs });
  }

  #pause(pauseMs: number): void {
    this.#state = 'open';
    this.#pauseFrom = this.#clock();
    this.#pauseMs = pauseMs;
  }
}
