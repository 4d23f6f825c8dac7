/**
 * Numbered questions to another thread. An answer that does not come is waited for no longer than
 * `timeoutMs`: a thread that hangs must not hold up the others.
 */
export class Answers {
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, () => void>();
  #number = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Asks with a number of its own; resolves when that is answered, or the time is over. */
  ask(send: (number: number) => void): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve();
      };
      const timer = setTimeout(done, this.#timeoutMs);
      this.#waiting.set(number, done);
      send(number);
    });
  }

  answered(number: number): void {
    this.#waiting.get(number)?.();
  }
}
