/**
 * Numbered messages to a thread. Each waits for its reply at most `timeoutMs`, so that a hanging thread does not stop
 * the others.
 */
export class PendingReplies<Reply = void> {
  readonly #timeoutMs: number;
  readonly #resolvers = new Map<number, (reply?: Reply) => void>();
  #lastNumber = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a message with a new number. Resolves with the reply, or with undefined after the time limit. */
  ask(send: (number: number) => void): Promise<Reply | undefined> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    return new Promise((resolve) => {
      const settle = (reply?: Reply): void => {
        clearTimeout(timer);
        this.#resolvers.delete(number);
        resolve(reply);
      };
      const timer = setTimeout(settle, this.#timeoutMs);
      this.#resolvers.set(number, settle);
      send(number);
    });
  }

  /** Must be called when the reply to this number arrives. */
  resolveReply(number: number, reply: Reply): void {
    this.#resolvers.get(number)?.(reply);
  }
}
