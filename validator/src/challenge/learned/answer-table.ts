/** Networks that a table remembers: the last ones that answered. */
export const NETWORKS = 64;
/**
 * Networks that must have answered before an answer can be rare. Of 16 that were met by chance, none is of a fifth of
 * all people in 3 cases of 100, and none of a seventh in 8.
 */
export const ENOUGH = 16;
/** The two commonest answers are an agreement when this many of a hundred gave one of them. */
const AGREED_PERCENT = 80;
/** An answer is rare when no more than this many of a hundred gave it. */
const RARE_PERCENT = 5;

/** What an answer is among those that came before: `unknown` where too few networks have answered. */
export type Standing = 'unknown' | 'common' | 'rare';

/**
 * What the visitors of one kind of browser answered to one question: one answer for each network, of the last 64
 * networks. Both are hashes of 32 bits. So a single network cannot teach, and nothing of a visitor is held.
 */
export class AnswerTable {
  readonly #networks = new Uint32Array(NETWORKS);
  readonly #answers = new Uint32Array(NETWORKS);
  #size = 0;
  #next = 0;

  /** Counts an answer, unless the network has one already. A 65th network takes the place of the oldest. */
  teach(network: number, answer: number): void {
    if (this.#networks.subarray(0, this.#size).includes(network)) return;
    this.#networks[this.#next] = network;
    this.#answers[this.#next] = answer;
    this.#next = (this.#next + 1) % NETWORKS;
    this.#size = Math.max(this.#size, this.#next || NETWORKS);
  }

  /** Whether enough networks have answered, and none of them in this way. */
  neverGave(answer: number): boolean {
    return this.#size >= ENOUGH && !this.#answers.subarray(0, this.#size).includes(answer);
  }

  /** Rare: two answers at most are common, nearly all gave one of them, and hardly any gave this one. */
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
