/** Why a wait ended without an answer. */
export type LateReason =
  /** The other side had the full time limit, and all received data was read. */
  | 'silent'
  /**
   * The time limit has passed, but this thread was too busy to read. So it is unknown whether the other side was late.
   */
  | 'busy';

export interface Wait {
  readonly late: (why: LateReason) => void;
  /** The counted milliseconds and the clock time at the start of the wait. */
  readonly countedAt: number;
  readonly begunAt: number;
}

export interface EventLoop {
  /** Milliseconds. The time never goes back. */
  readonly now: () => number;
  /** Calls `call` once, after at least this many milliseconds. */
  readonly after: (ms: number, call: () => void) => void;
  /** Calls `call` once, when all data that has arrived was read. */
  readonly afterReading: (call: () => void) => void;
}

/** Time between two checks of waits. */
const CHECK_MS = 20;
const MAX_COUNTED_MS = 25;
/** The longest wait in clock time, as a multiple of its limit. It is never shorter than the time of two checks. */
const LONGEST_FACTOR = 10;

const THIS_THREAD: EventLoop = {
  now: () => performance.now(),
  after: (ms, call) => void setTimeout(call, ms),
  // In each turn timers run first, then sockets are read, and then immediates run.
  afterReading: (call) => void setImmediate(call),
};

/**
 * Deadlines of answers that come from outside this thread. Only time in which this thread could have read an answer is
 * counted: a long turn of the event loop is counted as a short turn. Before an answer is treated as late, all data that
 * has arrived is read. So a visitor who keeps this thread busy makes no other answer late. In an idle thread the limit
 * is exact to a few milliseconds.
 *
 * All waits share one timer, which runs only while there are waits. The caller limits the number of waits.
 */
export class Patience {
  readonly limitMs: number;
  readonly #loop: EventLoop;
  /** The waits in the order of their start, which is also the order in which they end. */
  readonly #waits = new Set<Wait>();
  #isWatching = false;
  #countedMs = 0;
  #checkedAt = 0;

  constructor(limitMs: number, loop: EventLoop = THIS_THREAD) {
    this.limitMs = limitMs;
    this.#loop = loop;
  }

  /** The counted milliseconds. They advance only while there is a wait. */
  get counted(): number {
    return this.#waits.size === 0 ? this.#countedMs : this.#countedBy(this.#loop.now());
  }

  /** Calls `late` once, unless {@link end} comes first. */
  begin(late: (why: LateReason) => void): Wait {
    const begunAt = this.#loop.now();
    if (this.#waits.size === 0) this.#checkedAt = begunAt;
    const wait = { late, begunAt, countedAt: this.#countedBy(begunAt) };
    this.#waits.add(wait);
    if (!this.#isWatching) this.#watch();
    return wait;
  }

  end(wait: Wait): void {
    this.#waits.delete(wait);
  }

  /** Settles like `answer`. When the answer is late, it settles with the result of `late`. */
  within<T>(answer: Promise<T>, late: (why: LateReason) => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = this.begin((why) => resolve(late(why)));
      void answer.then(resolve, reject).finally(() => this.end(wait));
    });
  }

  #countedBy(now: number): number {
    return this.#countedMs + Math.min(now - this.#checkedAt, MAX_COUNTED_MS);
  }

  #watch(): void {
    const [firstWait] = this.#waits;
    this.#isWatching = firstWait !== undefined;
    if (firstWait === undefined) return;
    const leftMs = firstWait.countedAt + this.limitMs - this.#countedMs;
    this.#loop.after(Math.max(1, Math.min(leftMs, CHECK_MS)), () => this.#check());
  }

  #check(): void {
    const now = this.#loop.now();
    this.#countedMs = this.#countedBy(now);
    this.#checkedAt = now;
    const [firstWait] = this.#waits;
    if (firstWait === undefined || this.#lateness(firstWait, now) === undefined) this.#watch();
    else this.#loop.afterReading(() => this.#expire(now));
  }

  #expire(now: number): void {
    for (const wait of this.#waits) {
      const why = this.#lateness(wait, now);
      if (why === undefined) break;
      this.#waits.delete(wait);
      wait.late(why);
    }
    this.#watch();
  }

  #lateness({ countedAt, begunAt }: Wait, now: number): LateReason | undefined {
    const waitedMs = this.#countedMs - countedAt;
    if (waitedMs >= this.limitMs) return 'silent';
    const isEndless = now - begunAt >= LONGEST_FACTOR * this.limitMs && waitedMs >= 2 * CHECK_MS;
    return isEndless ? 'busy' : undefined;
  }
}
