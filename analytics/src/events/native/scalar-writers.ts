import { safeCount } from '../columns/safe-text.ts';
import type { ValuesOf } from '../columns/column.ts';
import type { ColumnWriter } from './column-writer.ts';
import { bytesOf } from './layout.ts';
import { NumberList } from './number-list.ts';
import { pushUuid } from './uuid.ts';

/** Columns of fixed width: so many 32-bit words a value. */
function wordsWriter(
  type: string,
  words: number,
  add: (list: NumberList, ...event: Parameters<ColumnWriter['add']>) => void,
): ColumnWriter {
  const list = new NumberList();
  return {
    type,
    dictionaries: 0,
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
export function timeWriter({ max, read }: ValuesOf<'time'>): ColumnWriter {
  return wordsWriter("DateTime64(3, 'UTC')", 2, (list, event) => {
    const ms = safeCount(read(event), max);
    list.push(ms % 2 ** 32);
    list.push(Math.floor(ms / 2 ** 32));
  });
}

export function uuidWriter({ read }: ValuesOf<'uuid'>): ColumnWriter {
  return wordsWriter('UUID', 4, (list, event) => pushUuid(list, read(event)));
}

export function flagWriter({ read }: ValuesOf<'flag'>): ColumnWriter {
  const flags = new NumberList();
  return {
    type: 'Bool',
    dictionaries: 0,
    add: (event) => flags.push(read(event) ? 1 : 0),
    cut: (rows) => flags.cut(rows),
    data: () => [bytesOf(new Uint8Array(flags.values()))],
    clear: () => flags.cut(0),
  };
}
