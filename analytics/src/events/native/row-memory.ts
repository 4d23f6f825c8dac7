/** What is remembered stays in memory until the block is taken. */
const MAX_REMEMBERED = 256;

/** From which object a row of the block was made, so that an object that comes again can repeat it. */
export class RowMemory<Source> {
  readonly #rows = new Map<Source, number>();
  #repeated = 0;

  /** Undefined for an object that is not remembered. */
  rowOf(source: Source): number | undefined {
    const row = this.#rows.get(source);
    if (row !== undefined) this.#repeated += 1;
    return row;
  }

  remember(source: Source, row: number): void {
    if (this.#rows.size === MAX_REMEMBERED) {
      // Visitors who come once each: it costs less not to remember the rest of them either.
      if (this.#repeated < MAX_REMEMBERED) return;
      this.clear();
    }
    this.#rows.set(source, row);
  }

  clear(): void {
    this.#rows.clear();
    this.#repeated = 0;
  }
}
