import { safeCount } from '../columns/safe-text.ts';
import type { ValuesOf } from '../columns/column.ts';
import type { ColumnWriter } from './column-writer.ts';
import { bytesOf } from './layout.ts';
import { NumberList } from './number-list.ts';

const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** The last millisecond of the year 2199, which DateTime64(3) can store. */
const MAX_TIME_MS = 7_258_118_399_999;

/** A column of fixed width: this many 32-bit words per value. */
function wordsWriter(
  type: string,
  words: number,
  add: (list: NumberList, ...event: Parameters<ColumnWriter['add']>) => void,
): ColumnWriter {
  const list = new NumberList();
  return {
    type,
    hasDictionary: false,
    add: (event) => add(list, event),
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

/** ClickHouse keeps a UUID as two 64-bit numbers, the lower half of each first. */
export function uuidWriter({ read }: ValuesOf<'uuid'>): ColumnWriter {
  return wordsWriter('UUID', 4, (list, event) => {
    const text = read(event);
    const uuid = UUID_PATTERN.test(text) ? text : NIL_UUID;
    list.push(fromHex(uuid.slice(9, 13) + uuid.slice(14, 18)));
    list.push(fromHex(uuid.slice(0, 8)));
    list.push(fromHex(uuid.slice(28)));
    list.push(fromHex(uuid.slice(19, 23) + uuid.slice(24, 28)));
  });
}

function fromHex(digits: string): number {
  return Number.parseInt(digits, 16);
}

export function flagWriter({ read }: ValuesOf<'flag'>): ColumnWriter {
  const flags = new NumberList();
  return {
    type: 'Bool',
    hasDictionary: false,
    add: (event) => flags.push(read(event) ? 1 : 0),
    cut: (rows) => flags.cut(rows),
    data: () => [bytesOf(new Uint8Array(flags.values()))],
    clear: () => flags.cut(0),
  };
}
