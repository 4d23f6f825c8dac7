/** A decision asks at most twice, so that two that get no answer are well below its 500 ms (spec 8). */
const COMMAND_TIMEOUT_MS = 150;

/**
 * How long the answer to one command is waited for. Only the time that Redis had counts: in a flood this
 * process may be busy for longer than that, before the command is written or while the answer lies there
 * to be read, and a Redis taken for gone then would make the flood worse.
 */
export class Patience {
  readonly #onLate: () => void;
  #turn: NodeJS.Immediate;
  #timer: NodeJS.Timeout | undefined;
  #until = 0;

  /** Begins with the next turn of the event loop, in which the client writes what it was given in this one. */
  constructor(onLate: () => void) {
    this.#onLate = onLate;
    this.#turn = setImmediate(() => {
      this.#until = performance.now() + COMMAND_TIMEOUT_MS;
      this.#look();
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  /** Timers count from when their turn of the event loop began, so one set in a long turn comes early. */
  #look(): void {
    const leftMs = this.#until - performance.now();
    if (leftMs >= 1) this.#timer = setTimeout(() => this.#look(), leftMs);
    else this.#turn = setImmediate(this.#onLate);
  }
}
