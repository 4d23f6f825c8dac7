/** Why a wait ended without an answer. */
export type Late =
  /** The other side had the whole limit, and everything that had arrived was read. */
  | 'silent'
  /** The limit is far behind by the clock, but this thread was too busy to tell. Says nothing about the other side. */
  | 'busy';

/** One answer that is waited for. */
export interface Wait {
  readonly late: (why: Late) => void;
  /** Both when it began: in milliseconds that count, and by the clock. */
  readonly countedAt: number;
  readonly begunAt: number;
}

/** The event loop, as far as waiting needs it. */
export interface Turns {
  /** In milliseconds. Never goes back. */
  readonly now: () => number;
  /** Calls once, after this many milliseconds at the earliest. */
  readonly after: (ms: number, call: () => void) => void;
  /** Calls once, when everything that has arrived by now is read. */
  readonly afterReading: (call: () => void) => void;
}

/** How often waits are looked at, and what the time between two looks counts at the most. */
const LOOK_MS = 20;
const MOST_MS = 25;
/** A wait may last this many times its limit by the clock, and at least two looks. */
const LONGEST = 10;

const OF_THIS_THREAD: Turns = {
  now: () => performance.now(),
  after: (ms, call) => void setTimeout(call, ms),
  // Timers run before sockets are read, and immediates after that.
  afterReading: (call) => void setImmediate(call),
};

/**
 * Deadlines of answers that come from outside this thread. Only time counts in which an answer could have been
 * read: a turn of the event loop that takes long counts as a short one, and what has arrived is read before
 * anything is late. So a visitor who keeps this thread busy makes no other answer late. While the thread has
 * little to do, the limit is exact to a few milliseconds.
 *
 * One timer for all waits, and none while there are none. The caller bounds how many there are.
 */
export class Patience {
  readonly limitMs: number;
  readonly #turns: Turns;
  /** In the order in which they began, which is the one in which they end. */
  readonly #waits = new Set<Wait>();
  #isWatching = false;
  #countedMs = 0;
  #lookedAt = 0;

  constructor(limitMs: number, turns: Turns = OF_THIS_THREAD) {
    this.limitMs = limitMs;
    this.#turns = turns;
  }

  /** Milliseconds that count, since some beginning. Stands still while nothing is waited for. */
  get counted(): number {
    return this.#waits.size === 0 ? this.#countedMs : this.#countedBy(this.#turns.now());
  }

  /** Calls `late` once, unless {@link end} comes first. */
  begin(late: (why: Late) => void): Wait {
    const begunAt = this.#turns.now();
    if (this.#waits.size === 0) this.#lookedAt = begunAt;
    const wait = { late, begunAt, countedAt: this.#countedBy(begunAt) };
    this.#waits.add(wait);
    if (!this.#isWatching) this.#watch();
    return wait;
  }

  end(wait: Wait): void {
    this.#waits.delete(wait);
  }

  /** Settles like `answer`, or like what `late` gives. */
  within<T>(answer: Promise<T>, late: (why: Late) => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = this.begin((why) => resolve(late(why)));
      void answer.then(resolve, reject).finally(() => this.end(wait));
    });
  }

  #countedBy(now: number): number {
    return this.#countedMs + Math.min(now - this.#lookedAt, MOST_MS);
  }

  #watch(): void {
    const [next] = this.#waits;
    this.#isWatching = next !== undefined;
    if (next === undefined) return;
    const leftMs = next.countedAt + this.limitMs - this.#countedMs;
    this.#turns.after(Math.max(1, Math.min(leftMs, LOOK_MS)), () => this.#look());
  }

  #look(): void {
    const now = this.#turns.now();
    this.#countedMs = this.#countedBy(now);
    this.#lookedAt = now;
    const [next] = this.#waits;
    if (next === undefined || this.#lateness(next, now) === undefined) this.#watch();
    else this.#turns.afterReading(() => this.#expire(now));
  }

  /** Ends what was late at that time, and is not answered by now. */
  #expire(now: number): void {
    for (const wait of this.#waits) {
      const why = this.#lateness(wait, now);
      if (why === undefined) break;
      this.#waits.delete(wait);
      wait.late(why);
    }
    this.#watch();
  }

  #lateness({ countedAt, begunAt }: Wait, now: number): Late | undefined {
    const waitedMs = this.#countedMs - countedAt;
    if (waitedMs >= this.limitMs) return 'silent';
    const isEndless = now - begunAt >= LONGEST * this.limitMs && waitedMs >= 2 * LOOK_MS;
    return isEndless ? 'busy' : undefined;
  }
}
