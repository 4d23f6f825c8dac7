import type { DecisionEvent } from '@guard/config/contract/event';
import type { ColumnValues } from '../columns.ts';
import type { Weight } from './dictionary.ts';
import { fieldsWriter } from './fields-writer.ts';
import { countWriter, flagWriter, timeWriter, uuidWriter } from './scalar-writers.ts';
import { textWriter, wordsWriter, wordWriter } from './text-writers.ts';

/** One column of a block under construction. */
export interface ColumnWriter {
  /** ClickHouse type of what is sent. */
  readonly type: string;
  /** Dictionaries inside it, each of which has a version in front of the data. */
  readonly dictionaries: number;
  /** May throw on an event that is not one; `cut` then takes back what was added. */
  add(event: DecisionEvent): void;
  /** Forgets every row from `rows` on. */
  cut(rows: number): void;
  /** The rows as bytes, valid until the next call of this writer. */
  data(): Buffer[];
  /** Forgets everything: for the next block. */
  clear(): void;
}

export function columnWriter(values: ColumnValues, weight: Weight): ColumnWriter {
  switch (values.kind) {
    case 'word':
      return wordWriter(values, weight);
    case 'words':
      return wordsWriter(values, weight);
    case 'text':
      return textWriter(values, weight);
    case 'fields':
      return fieldsWriter(values, weight);
    case 'uuid':
      return uuidWriter(values);
    case 'time':
      return timeWriter(values);
    case 'count':
      return countWriter(values);
    case 'flag':
      return flagWriter(values);
  }
}
