import type { DecisionEvent } from '@guard/config/contract/event';
import type { Column } from '@guard/config/contract/ports';

/** A column of the event record: its declaration in the database, and the source of its values. */
export interface EventColumn extends Column {
  readonly codec: string;
  /** How long the value is kept: as long as the row, or for the shorter time of `headers` and `body`. */
  readonly retention: 'row' | 'detail';
  /** The header field, in lower case, that gives the value. If settings drop this field, the column stays empty. */
  readonly header?: string;
  readonly values: ColumnValues;
}

/**
 * Where a column's values come from, and how they are cleaned for the database. A value always has the column's type
 * and a limited size, even if a visitor sends other values. Lengths are in UTF-16 code units. Longer texts are cut.
 */
export type ColumnValues =
  /** A value from a small set of words. */
  | { readonly kind: 'word'; readonly maxLength: number; readonly read: ReadField<string> }
  | {
      readonly kind: 'words';
      readonly read: ReadField<readonly string[]>;
      /** For each word a whole number from 0 to 65,535, in the order of the words. */
      readonly numbers?: ReadField<readonly number[]>;
    }
  | { readonly kind: 'text'; readonly maxLength: number; readonly read: ReadField<string> }
  | {
      readonly kind: 'fields';
      /** Says whether the field of this name, in lower case, is stored. */
      readonly isKept: (name: string) => boolean;
      readonly read: ReadField<Readonly<Record<string, string>>>;
    }
  /** A text that is no UUID becomes the nil UUID. */
  | { readonly kind: 'uuid'; readonly read: ReadField<string> }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly read: ReadField<number> }
  /**
   * A whole number from 0 to `max`, which is below 2^32. A lower number becomes 0, and a higher number becomes `max`.
   */
  | { readonly kind: 'count'; readonly max: number; readonly read: ReadField<number> }
  | { readonly kind: 'flag'; readonly read: ReadField<boolean> };

export type ValuesOf<Kind extends ColumnValues['kind']> = Extract<ColumnValues, { kind: Kind }>;

type ReadField<Value> = (event: DecisionEvent) => Value;

/** The database type of a column with a small set of words. */
export const WORD = 'LowCardinality(String)';
/** Maximum length of a name or an identifier. */
export const MAX_NAME = 256;

export function column(
  name: string,
  type: string,
  comment: string,
  values: ColumnValues,
  options: Partial<Pick<EventColumn, 'codec' | 'retention'>> = {},
): EventColumn {
  return { name, type, comment, values, codec: 'ZSTD(1)', retention: 'row', ...options };
}

/** A column whose values come from a small set of words. */
export function word(
  name: string,
  comment: string,
  read: ReadField<string>,
  maxLength: number = MAX_NAME,
): EventColumn {
  return column(name, WORD, comment, { kind: 'word', maxLength, read });
}

export function words(
  name: string,
  comment: string,
  read: ReadField<readonly string[]>,
): EventColumn {
  return column(name, `Array(${WORD})`, comment, { kind: 'words', read });
}

export function text(
  name: string,
  maxLength: number,
  comment: string,
  read: ReadField<string>,
): EventColumn {
  return column(name, 'String', comment, { kind: 'text', maxLength, read });
}

/** A column of whole numbers below 2^16. */
export function smallCount(name: string, comment: string, read: ReadField<number>): EventColumn {
  return column(name, 'UInt16', comment, { kind: 'count', max: 65_535, read });
}

export function count(name: string, comment: string, read: ReadField<number>): EventColumn {
  return column(name, 'UInt32', comment, { kind: 'count', max: 4_294_967_295, read });
}

export function flag(name: string, comment: string, read: ReadField<boolean>): EventColumn {
  return column(name, 'Bool', comment, { kind: 'flag', read });
}

/** Marks columns whose value comes from a header field. */
export function fromHeader(header: string, ...columns: readonly EventColumn[]): EventColumn[] {
  return columns.map((eventColumn) => ({ ...eventColumn, header }));
}
