import type { Clock } from '@guard/config/contract/ports';

/** When a breaker opens, and for how long. */
export interface BreakerLimits {
  /** This many failures with no answer between them open it, */
  readonly failures: number;
  /** when they are about clients of this many networks */
  readonly networks: number;
  /** and go on for this long. */
  readonly leastMs: number;
  /** How long it stays open before one question is tried: at first, and after many trials that failed. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const BREAKER_LIMITS: BreakerLimits = {
  failures: 5,
  networks: 3,
  leastMs: 2_000,
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
 * Sends no questions to a validator that does not answer, so that visitors do not wait for the time limit. It tries
 * one question at a time, at growing intervals, until there is an answer again.
 *
 * It stays closed while any question is answered. One burst does not open it, and neither do the clients of one
 * network: one visitor must not be able to switch off the questions about all others.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  readonly #onChange: (change: BreakerChange) => void;
  #state: 'closed' | 'open' | 'trying' = 'closed';
  /** Failures since the last answer, when the first of them was, and the networks of the first ones. */
  #failures = 0;
  #failingFrom = 0;
  readonly #networks = new Set<string>();
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

  /** `network` is the client's who was asked about. */
  settle(admission: 'asked' | 'trial', ended: Ended, network: string): void {
    if (admission === 'trial') this.#settleTrial(ended);
    // What was asked before it opened is known to be late, and says nothing about now.
    else if (this.#state === 'closed') this.#count(ended, network);
  }

  #settleTrial(ended: Ended): void {
    const { longestPauseMs } = this.#limits;
    switch (ended) {
      case 'answered':
        this.#state = 'closed';
        this.#forget();
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

  #count(ended: Ended, network: string): void {
    switch (ended) {
      case 'answered':
        this.#forget();
        return;
      case 'failed':
        this.#countFailure(network);
        return;
      case 'neither':
    }
  }

  #countFailure(network: string): void {
    const { failures, networks, leastMs, firstPauseMs } = this.#limits;
    const now = this.#clock();
    // Before the first one the clock was set back, and the time between them would never be over.
    if (this.#failures === 0 || now < this.#failingFrom) this.#failingFrom = now;
    this.#failures++;
    if (this.#networks.size < networks) this.#networks.add(network);
    if (this.#failures < failures || this.#networks.size < networks) return;
    if (now - this.#failingFrom < leastMs) return;
    this.#openedAt = now;
    this.#pause(firstPauseMs);
    this.#onChange({ kind: 'opened', pauseMs: firstPauseMs });
  }

  #forget(): void {
    this.#failures = 0;
    this.#networks.clear();
  }

  #pause(pauseMs: number): void {
    this.#state = 'open';
    this.#pauseFrom = this.#clock();
    this.#pauseMs = pauseMs;
  }
}
