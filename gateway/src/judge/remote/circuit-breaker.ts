import type { Clock } from '@guard/config/contract/ports';

/** The breaker opens when all three of `failures`, `networks` and `leastMs` are reached. */
interface BreakerLimits {
  /** The number of failures in a row. */
  readonly failures: number;
  /** The number of networks from which the visitors of these failed questions come. */
  readonly networks: number;
  /** The time since the first of these failures. */
  readonly leastMs: number;
  /** How long the breaker stays open before a trial: at first, and at most after several failed trials. */
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

/** `trial`: an open breaker lets one question pass, and closes when this question is answered. */
export type Admission = 'asked' | 'trial' | 'refused';

/** How an admitted question ended. `neither` does not show whether the validator answers. */
export type QuestionResult = 'answered' | 'failed' | 'neither';

export type BreakerChange =
  | { readonly kind: 'opened' | 'stayed_open'; readonly pauseMs: number }
  | { readonly kind: 'closed'; readonly openMs: number };

/**
 * Stops the questions to a validator that does not answer, so that visitors do not wait for the time limit. It
 * tries single questions at growing intervals until one is answered.
 *
 * Any answer keeps the breaker closed. A single burst of failures does not open it. Failures about one network do not
 * open it either: one visitor must not be able to stop the questions about all others.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  readonly #onChange: (change: BreakerChange) => void;
  #state: 'closed' | 'open' | 'trying' = 'closed';
  /**
   * The number of failures since the last answer, and the time of the first one. `#networks` has the networks of these
   * failures, and at most `BreakerLimits.networks` of them.
   */
  #failures = 0;
  #firstFailureAt = 0;
  readonly #networks = new Set<string>();
  #openedAt = 0;
  #pausedAt = 0;
  #pauseMs = 0;

  constructor(clock: Clock, limits: BreakerLimits, onChange: (change: BreakerChange) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#state !== 'closed';
  }

  /** Whether a question may be sent. `settle` must follow unless the result is `refused`. */
  admit(): Admission {
    switch (this.#state) {
      case 'closed':
        return 'asked';
      case 'trying':
        return 'refused';
      case 'open': {
        const pausedMs = this.#clock() - this.#pausedAt;
        // A negative value means that the clock was set back. Then the pause ends at once, because it could last very
        // long otherwise.
        if (pausedMs >= 0 && pausedMs < this.#pauseMs) return 'refused';
        this.#state = 'trying';
        return 'trial';
      }
    }
  }

  /** `network` is the network of the visitor whom the question was about. */
  settle(admission: 'asked' | 'trial', result: QuestionResult, network: string): void {
    if (admission === 'trial') this.#settleTrial(result);
    // A question that was sent before the breaker opened does not show whether the validator answers now.
    else if (this.#state === 'closed') this.#count(result, network);
  }

  #settleTrial(result: QuestionResult): void {
    const { longestPauseMs } = this.#limits;
    switch (result) {
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

  #count(result: QuestionResult, network: string): void {
    switch (result) {
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
    // A time before the first failure means that the clock was set back. Then the time is measured from now on.
    if (this.#failures === 0 || now < this.#firstFailureAt) this.#firstFailureAt = now;
    this.#failures++;
    if (this.#networks.size < networks) this.#networks.add(network);
    if (this.#failures < failures || this.#networks.size < networks) return;
    if (now - this.#firstFailureAt < leastMs) return;
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
    this.#pausedAt = this.#clock();
    this.#pauseMs = pauseMs;
  }
}
