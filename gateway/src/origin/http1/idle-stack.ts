/** Connections without a request, the last used on top: those below fall out of use and are let go. */
export class IdleStack<T extends { readonly idleSince: number }> {
  readonly #max: number;
  readonly #stack: T[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** The one that was used last, if it fell idle no earlier than `since`. */
  take(since: number): T | undefined {
    const last = this.#stack.at(-1);
    return last === undefined || last.idleSince < since ? undefined : this.#stack.pop();
  }

  /** False when there are enough. */
  put(connection: T): boolean {
    if (this.#stack.length >= this.#max) return false;
    this.#stack.push(connection);
    return true;
  }

  remove(connection: T): void {
    const index = this.#stack.lastIndexOf(connection);
    if (index !== -1) this.#stack.splice(index, 1);
  }
}
