import type { DecisionEvent } from '@guard/config/contract/event';

/** One column of a block under construction. */
export interface ColumnWriter {
  /** ClickHouse type of what is sent. */
  readonly type: string;
  /** A dictionary inside it has a version in front of the data. */
  readonly hasDictionary: boolean;
  /** May throw on an event that is not one; `cut` then takes back what was added. */
  add(event: DecisionEvent): void;
  /** Forgets every row from `rows` on. */
  cut(rows: number): void;
  /** The rows as bytes, valid until the next call of this writer. */
  data(): Buffer[];
  /** Forgets everything: for the next block. */
  clear(): void;
}
