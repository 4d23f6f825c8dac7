/** Number of networks that a table remembers: the most recent ones. */
export const NETWORKS = 64;
/**
 * Number of networks that must have answered before an answer can be rare. Among 16 random networks, an answer of a
 * fifth of all people is missing in 3 % of cases, and an answer of a seventh in 8 %.
 */
export const MIN_NETWORKS = 16;
/** The networks agree when this share of them gave one of the two most common answers. */
const AGREED_PERCENT = 80;
/** An answer is rare when at most this share of all networks gave it. */
const RARE_PERCENT = 5;

/** How common an answer is. It is `unknown` when too few networks have answered. */
type Standing = 'unknown' | 'common' | 'rare';

/**
 * The answers of one kind of browser to one question: one answer for each of the last 64 networks. Answers and networks
 * are 32-bit hashes. So a single network cannot teach, and no data of visitors is stored.
 */
export class AnswerTable {
  readonly #networks = new Uint32Array(NETWORKS);
  readonly #answers = new Uint32Array(NETWORKS);
  #size = 0;
  #oldest = 0;

  /** Counts an answer, unless its network has already answered. The 65th network replaces the oldest. */
  teach(network: number, answer: number): void {
    if (this.#networks.subarray(0, this.#size).includes(network)) return;
    this.#networks[this.#oldest] = network;
    this.#answers[this.#oldest] = answer;
    this.#oldest = (this.#oldest + 1) % NETWORKS;
    this.#size = Math.max(this.#size, this.#oldest || NETWORKS);
  }

  /** Whether enough networks have answered, and none of them gave this answer. */
  neverGave(answer: number): boolean {
    return this.#size >= MIN_NETWORKS && !this.#answers.subarray(0, this.#size).includes(answer);
  }

  /** `rare` when nearly all networks gave one of two common answers, and hardly any gave this one. */
  standingOf(answer: number): Standing {
    const size = this.#size;
    if (size < MIN_NETWORKS) return 'unknown';
    const counts = new Map<number, number>();
    for (const givenAnswer of this.#answers.subarray(0, size)) {
      counts.set(givenAnswer, (counts.get(givenAnswer) ?? 0) + 1);
    }
    const [first = 0, second = 0] = [...counts.values()].sort((one, other) => other - one);
    const isAgreed = (first + second) * 100 >= size * AGREED_PERCENT;
    return isAgreed && (counts.get(answer) ?? 0) * 100 <= size * RARE_PERCENT ? 'rare' : 'common';
  }
}
