import type { DecisionEvent } from '@guard/config/contract/event';

/** One column of a block under construction. */
export interface ColumnWriter {
  /** ClickHouse type of what is sent. */
  readonly type: string;
  /** A column with a dictionary has a version in front of its data. */
  readonly hasDictionary: boolean;
  /** May throw on a malformed event. Call `cut` then to remove what was added. */
  add(event: DecisionEvent): void;
  /** Removes every row from `rows` on. */
  cut(rows: number): void;
  /** The rows as bytes. Valid until the next call of this writer. */
  data(): Buffer[];
  /** Removes everything, for the next block. */
  clear(): void;
}
