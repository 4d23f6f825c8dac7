/** Number of networks that a table remembers: the most recent ones. */
export const NETWORKS = 64;
/**
 * Number of networks that must have answered before an answer can be rare. Of 16 random networks, none belongs to a
 * given fifth of all people in 3 % of cases, and none to a given seventh in 8 %.
 */
export const ENOUGH = 16;
/** There is an agreement when this share of all networks gave one of the two most common answers. */
const AGREED_PERCENT = 80;
/** An answer is rare when at most this share of all networks gave it. */
const RARE_PERCENT = 5;

/** How common an answer is. `unknown` when too few networks have answered. */
export type Standing = 'unknown' | 'common' | 'rare';

/**
 * The answers of one kind of browser to one question: one answer per network, for the last 64 networks. Both are
 * 32-bit hashes. So a single network cannot teach, and no visitor data is stored.
 */
export class AnswerTable {
  readonly #networks = new Uint32Array(NETWORKS);
  readonly #answers = new Uint32Array(NETWORKS);
  #size = 0;
  #next = 0;

  /** Counts an answer unless the network already has one. The 65th network replaces the oldest. */
  teach(network: number, answer: number): void {
    if (this.#networks.subarray(0, this.#size).includes(network)) return;
    this.#networks[this.#next] = network;
    this.#answers[this.#next] = answer;
    this.#next = (this.#next + 1) % NETWORKS;
    this.#size = Math.max(this.#size, this.#next || NETWORKS);
  }

  /** Whether enough networks have answered and none gave this answer. */
  neverGave(answer: number): boolean {
    return this.#size >= ENOUGH && !this.#answers.subarray(0, this.#size).includes(answer);
  }

  /** An answer is rare when nearly all gave one of at most two common answers and hardly any gave this one. */
  standing(answer: number): Standing {
    const size = this.#size;
    if (size < ENOUGH) return 'unknown';
    const counts = new Map<number, number>();
    for (const given of this.#answers.subarray(0, size)) {
      counts.set(given, (counts.get(given) ?? 0) + 1);
    }
    const [first = 0, second = 0] = [...counts.values()].sort((one, other) => other - one);
    const isAgreed = (first + second) * 100 >= size * AGREED_PERCENT;
    return isAgreed && (counts.get(answer) ?? 0) * 100 <= size * RARE_PERCENT ? 'rare' : 'common';
  }
}
