import type { DecisionEvent } from '@guard/config/contract/event';

/** One column of an open block. */
export interface ColumnWriter {
  /** The ClickHouse type of the values in the block. */
  readonly type: string;
  /** A column with a dictionary has a version in front of its data. */
  readonly hasDictionary: boolean;
  /**
   * Adds a row for each event. Throws on a malformed event. After that, call `cut` to remove the rows that were added
   * before the error.
   */
  add(events: readonly DecisionEvent[]): void;
  /** Keeps the first `rows` rows and removes all others. */
  cut(rows: number): void;
  /** Returns the rows as bytes. They are valid until the next call of this writer. */
  data(): Buffer[];
  /** Removes all rows, so that the next block can begin. */
  clear(): void;
}
