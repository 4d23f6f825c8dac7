/** Number of networks that a table remembers. Newer networks replace older ones. */
export const NETWORKS = 64;
/**
 * Number of networks that must have answered before an answer can be rare. When a fifth of all people give an answer,
 * it is missing among 16 random networks in 3 % of cases; when a seventh give it, in 8 %.
 */
export const MIN_NETWORKS = 16;
/** The networks agree when this share of them gave one of the two most common answers. */
const AGREED_PERCENT = 80;
/** An answer is rare when at most this share of all networks gave it. */
const RARE_PERCENT = 5;

/** How common an answer is. It is `unknown` when too few networks have answered. */
type Standing = 'unknown' | 'common' | 'rare';

/**
 * The answers of one kind of browser to one question: one answer for each of the last 64 networks. So a single network
 * cannot fill the table. Answers and networks are 32-bit hashes, so no data of visitors is stored.
 */
export class AnswerTable {
  readonly #networks = new Uint32Array(NETWORKS);
  readonly #answers = new Uint32Array(NETWORKS);
  #size = 0;
  #oldest = 0;

  /** Adds an answer, unless its network is already in the table. The 65th network replaces the oldest. */
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

  /** `rare` when nearly all networks gave one of two common answers, and hardly any network gave this answer. */
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
