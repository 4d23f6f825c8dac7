/** Numbered messages to a thread. Each waits at most `timeoutMs`, so that a hanging thread does not stop the others. */
export class PendingReplies<Reply = void> {
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, (reply?: Reply) => void>();
  #number = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a message with a new number. Resolves with the reply, or with undefined after the time limit. */
  ask(send: (number: number) => void): Promise<Reply | undefined> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      const done = (reply?: Reply): void => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(reply);
      };
      const timer = setTimeout(done, this.#timeoutMs);
      this.#waiting.set(number, done);
      send(number);
    });
  }

  /** Must be called when the reply to this number arrives. */
  replied(number: number, reply: Reply): void {
    this.#waiting.get(number)?.(reply);
  }
}
