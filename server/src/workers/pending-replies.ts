/**
 * Numbered messages to another thread that wait for a reply. None waits longer than `timeoutMs`: a
 * thread that hangs must not stop the others.
 */
export class PendingReplies {
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, () => void>();
  #number = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a message with a new number. Resolves at its reply, or when the time is over. */
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

  /** The reply to the message of this number has come. */
  replied(number: number): void {
    this.#waiting.get(number)?.();
  }
}
