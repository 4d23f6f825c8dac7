import type { DecisionEvent } from '@guard/config/contract/event';

/** A column of the event record: its declaration in the database, and where its values come from. */
export interface EventColumn {
  readonly name: string;
  /** ClickHouse type. */
  readonly type: string;
  readonly codec: string;
  readonly comment: string;
  /** How long the value is kept: as long as its row, or the shorter time of `headers` and `body`. */
  readonly kept: 'row' | 'detail';
  /** The header field that the value is made from, in lower case: where that is not kept, the value is not. */
  readonly from?: string;
  readonly values: ColumnValues;
}

/**
 * Where a column's values come from, and what they are made into before the database sees them: a
 * value of the column's type and of bounded size for all that a visitor can send. Lengths are in UTF-16 code
 * units; what is longer is cut.
 */
export type ColumnValues =
  /** One of few words. */
  | { readonly kind: 'word'; readonly maxLength: number; readonly read: Read<string> }
  /** Of a list, what is beyond `maxItems` is left out. */
  | {
      readonly kind: 'words';
      readonly maxLength: number;
      readonly maxItems: number;
      readonly read: Read<readonly string[]>;
    }
  | { readonly kind: 'text'; readonly maxLength: number; readonly read: Read<string> }
  | {
      readonly kind: 'fields';
      /**
       * A name as it is stored, of at most `maxNameLength`; undefined where the field must not be.
       * `nameOf(name)` is `name`.
       */
      readonly nameOf: (field: string) => string | undefined;
      readonly maxNameLength: number;
      readonly maxValueLength: number;
      /** The fields behind so many are left out. */
      readonly maxFields: number;
      /** Names and values of a row together. Values behind it have `maxValueLengthBehind`. */
      readonly inFullLength: number;
      readonly maxValueLengthBehind: number;
      readonly read: Read<Readonly<Record<string, string>>>;
    }
  /** What is no UUID becomes the nil UUID. */
  | { readonly kind: 'uuid'; readonly read: Read<string> }
  /** Milliseconds since the epoch, 0 to `max`. */
  | { readonly kind: 'time'; readonly max: number; readonly read: Read<number> }
  /** A whole number of 0 to `max`, which is below 2^32; anything else becomes the nearest. */
  | { readonly kind: 'count'; readonly max: number; readonly read: Read<number> }
  | { readonly kind: 'flag'; readonly read: Read<boolean> }
  /** Words, each with a whole number of 0 to 65,535; of more than `maxItems` the rest is left out. */
  | {
      readonly kind: 'numberedWords';
      readonly maxLength: number;
      readonly maxItems: number;
      readonly read: Read<readonly string[]>;
      /** As many, in the same order. */
      readonly numbers: Read<readonly number[]>;
    };

export type ValuesOf<Kind extends ColumnValues['kind']> = Extract<ColumnValues, { kind: Kind }>;

type Read<Value> = (event: DecisionEvent) => Value;

export const WORD = 'LowCardinality(String)';
/** Longest name or identifier, and most entries of a list. */
export const MAX_NAME = 256;
export const MAX_LIST_ITEMS = 64;

export function column(
  name: string,
  type: string,
  comment: string,
  values: ColumnValues,
  more: Partial<Pick<EventColumn, 'codec' | 'kept'>> = {},
): EventColumn {
  return { name, type, comment, values, codec: 'ZSTD(1)', kept: 'row', ...more };
}

/** A column of one of few words. */
export function word(
  name: string,
  comment: string,
  read: Read<string>,
  maxLength: number = MAX_NAME,
): EventColumn {
  return column(name, WORD, comment, { kind: 'word', maxLength, read });
}

export function words(name: string, comment: string, read: Read<readonly string[]>): EventColumn {
  const values = { kind: 'words', maxLength: MAX_NAME, maxItems: MAX_LIST_ITEMS, read } as const;
  return column(name, `Array(${WORD})`, comment, values);
}

/** A column of free text. */
export function text(
  name: string,
  maxLength: number,
  comment: string,
  read: Read<string>,
): EventColumn {
  return column(name, 'String', comment, { kind: 'text', maxLength, read });
}

/** A column of whole numbers below 2^32. */
export function count(name: string, comment: string, read: Read<number>): EventColumn {
  return column(name, 'UInt32', comment, { kind: 'count', max: 4_294_967_295, read });
}

export function flag(name: string, comment: string, read: Read<boolean>): EventColumn {
  return column(name, 'Bool', comment, { kind: 'flag', read });
}

/** The same column of a value that is made from a header field. */
export function from(header: string, made: EventColumn): EventColumn {
  return { ...made, from: header };
}
