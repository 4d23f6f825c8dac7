/** GCRA: the theoretical arrival time of the next request, in epoch milliseconds. */
export interface Counter {
  arrivalAt: number;
}

type Counters = Map<string, Map<string, Counter>>;

/**
 * The counters of all budgets, by the budget's name and by whose they are. Bounded over all budgets
 * together, in two generations like two-generation-cache.ts; a counter that is forgotten starts afresh.
 */
export class BudgetCounters {
  readonly #generationSize: number;
  #young: Counters = new Map();
  #youngCount = 0;
  #old: Counters = new Map();
  #oldCount = 0;

  /** `max` is at least 2: one counter a generation. */
  constructor(max: number) {
    this.#generationSize = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    return this.#youngCount + this.#oldCount;
  }

  /** The counter, which counts as used by that. */
  get(name: string, subject: string): Counter | undefined {
    return this.#young.get(name)?.get(subject) ?? this.#revive(name, subject);
  }

  /** Adds a counter that {@link get} did not find. */
  add(name: string, subject: string, counter: Counter): void {
    if (this.#youngCount >= this.#generationSize) {
      this.#old = this.#young;
      this.#oldCount = this.#youngCount;
      this.#young = new Map();
      this.#youngCount = 0;
    }
    const subjects = this.#young.get(name);
    if (subjects === undefined) this.#young.set(name, new Map([[subject, counter]]));
    else subjects.set(subject, counter);
    this.#youngCount += 1;
  }

  #revive(name: string, subject: string): Counter | undefined {
    const subjects = this.#old.get(name);
    const counter = subjects?.get(subject);
    if (counter === undefined) return undefined;
    subjects?.delete(subject);
    this.#oldCount -= 1;
    this.add(name, subject, counter);
    return counter;
  }
}
