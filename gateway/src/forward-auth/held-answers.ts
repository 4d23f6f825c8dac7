import { randomUUID } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import type { ServedAnswer } from '../judge/plan-answer.ts';

interface Held {
  readonly answer: ServedAnswer;
  readonly bytes: number;
  readonly until: number;
}

interface HeldLimits {
  readonly heldAnswers: number;
  readonly heldBytes: number;
  readonly heldMs: number;
}

/**
 * Answers for visitors, until the proxy that asked fetches them a moment later. Each can be fetched
 * once. Where there are too many, the oldest go: their requests are judged again.
 */
export class HeldAnswers {
  readonly #clock: Clock;
  readonly #limits: HeldLimits;
  /** In the order in which they came. */
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(clock: Clock, limits: HeldLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Keeps an answer; gives the name to fetch it by, which nobody can guess. */
  keep(answer: ServedAnswer): string {
    const id = randomUUID();
    const bytes = answer.body.length;
    this.#held.set(id, { answer, bytes, until: this.#clock() + this.#limits.heldMs });
    this.#bytes += bytes;
    this.#makeRoom();
    return id;
  }

  /** The answer of this name, and never again; undefined when it is not there or too old. */
  take(id: string): ServedAnswer | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    this.#drop(id, held);
    return held.until >= this.#clock() ? held.answer : undefined;
  }

  #makeRoom(): void {
    const now = this.#clock();
    for (const [id, held] of this.#held) {
      const full =
        this.#held.size > this.#limits.heldAnswers || this.#bytes > this.#limits.heldBytes;
      if (!full && held.until >= now) return;
      this.#drop(id, held);
    }
  }

  #drop(id: string, { bytes }: Held): void {
    this.#held.delete(id);
    this.#bytes -= bytes;
  }
}
