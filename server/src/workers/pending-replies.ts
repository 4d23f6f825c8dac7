/**
 * Numbered messages to another thread that wait for a reply. Each waits at most `timeoutMs`, so that a thread
 * that hangs does not stop the others.
 */
export class PendingReplies {
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, () => void>();
  #number = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a message with a new number. Resolves at its reply or after the time limit. */
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

  /** Call it when the reply to this number arrives. */
  replied(number: number): void {
    this.#waiting.get(number)?.();
  }
}
