import type { DecisionEvent } from '@guard/config/contract/event';

/** One column of an open block. */
export interface ColumnWriter {
  /** The ClickHouse type of the sent values. */
  readonly type: string;
  /** A column with a dictionary has a version in front of its data. */
  readonly hasDictionary: boolean;
  /** Adds a row for each event. Throws on a malformed event. Then call `cut` to remove the added part. */
  add(events: readonly DecisionEvent[]): void;
  /** Removes every row from `rows` on. */
  cut(rows: number): void;
  /** The rows as bytes. Valid until the next call of this writer. */
  data(): Buffer[];
  /** Removes everything, for the next block. */
  clear(): void;
}
