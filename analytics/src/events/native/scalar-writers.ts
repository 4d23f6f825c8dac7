import type { DecisionEvent } from '@guard/config/contract/event';
import { safeCount } from '../columns/safe-text.ts';
import type { ValuesOf } from '../columns/column.ts';
import type { ColumnWriter } from './column-writer.ts';
import { bytesOf } from './layout.ts';
import { NumberList } from './number-list.ts';

/** The value of a hexadecimal digit by its character code, and NaN for all other characters. */
const DIGITS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[0-9a-f]/i.test(character) ? Number.parseInt(character, 16) : NaN;
});
const UUID_LENGTH = 36;
/** The last millisecond of the year 2199, which DateTime64(3) can store. */
const MAX_TIME_MS = 7_258_118_399_999;

/** Writes a column of fixed width, with `words` 32-bit words for each value. */
function wordsWriter(
  type: string,
  words: number,
  push: (list: NumberList, event: DecisionEvent) => void,
): ColumnWriter {
  const list = new NumberList();
  return {
    type,
    hasDictionary: false,
    add(events) {
      for (const event of events) push(list, event);
    },
    cut: (rows) => list.cut(words * rows),
    data: () => [bytesOf(list.values())],
    clear: () => list.cut(0),
  };
}

export function countWriter({ max, read }: ValuesOf<'count'>): ColumnWriter {
  return wordsWriter('UInt32', 1, (list, event) => list.push(safeCount(read(event), max)));
}

/** Milliseconds since the epoch. */
export function timeWriter({ read }: ValuesOf<'time'>): ColumnWriter {
  return wordsWriter("DateTime64(3, 'UTC')", 2, (list, event) => {
    const ms = safeCount(read(event), MAX_TIME_MS);
    list.push(ms % 2 ** 32);
    list.push(Math.floor(ms / 2 ** 32));
  });
}

/** ClickHouse stores a UUID as two 64-bit numbers, and in each number the lower half comes first. */
export function uuidWriter({ read }: ValuesOf<'uuid'>): ColumnWriter {
  return wordsWriter('UUID', 4, (list, event) => {
    const text = read(event);
    const timeLow = numberAt(text, 0) * 2 ** 16 + numberAt(text, 4);
    const timeHigh = numberAt(text, 9) * 2 ** 16 + numberAt(text, 14);
    const sequence = numberAt(text, 19) * 2 ** 16 + numberAt(text, 24);
    const node = numberAt(text, 28) * 2 ** 16 + numberAt(text, 32);
    const isUuid =
      text.length === UUID_LENGTH &&
      text[8] === '-' &&
      text[13] === '-' &&
      text[18] === '-' &&
      text[23] === '-' &&
      timeLow + timeHigh + sequence + node >= 0;
    list.push(isUuid ? timeHigh : 0);
    list.push(isUuid ? timeLow : 0);
    list.push(isUuid ? node : 0);
    list.push(isUuid ? sequence : 0);
  });
}

/**
 * The number that the four hexadecimal digits at `start` form, or NaN. This table takes a quarter of the time of
 * `parseInt`.
 */
function numberAt(text: string, start: number): number {
  let number = 0;
  for (let at = start; at < start + 4; at += 1) {
    number = number * 16 + (DIGITS[text.charCodeAt(at)] ?? NaN);
  }
  return number;
}

export function flagWriter({ read }: ValuesOf<'flag'>): ColumnWriter {
  const flags = new NumberList();
  return {
    type: 'Bool',
    hasDictionary: false,
    add(events) {
      for (const event of events) flags.push(read(event) ? 1 : 0);
    },
    cut: (rows) => flags.cut(rows),
    data: () => [bytesOf(new Uint8Array(flags.values()))],
    clear: () => flags.cut(0),
  };
}
