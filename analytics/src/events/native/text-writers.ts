import { MAX_NAME, type ValuesOf, WORD } from '../columns/column.ts';
import { safeCount, safeText } from '../columns/safe-text.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { bytesOf, dictionaryData, rowEnds } from './layout.ts';
import { NumberList } from './number-list.ts';

/** Maximum number of words in a list. Further words are left out. */
const MAX_LIST_ITEMS = 64;
const MAX_NUMBER = 65_535;

export function wordWriter(values: ValuesOf<'word'>, weight: Weight): ColumnWriter {
  const { maxLength, read } = values;
  const dictionary = new Dictionary((raw) => safeText(raw, maxLength), weight);
  const indexes = new NumberList();
  return {
    type: WORD,
    hasDictionary: true,
    add(events) {
      for (const event of events) indexes.push(dictionary.indexOf(read(event)));
    },
    cut: (rows) => indexes.cut(rows),
    data: () => dictionaryData(dictionary, indexes),
    clear() {
      dictionary.clear();
      indexes.cut(0);
    },
  };
}

/** A column of lists of words. With `numbers` each word has a number, such as the points of a finding. */
export function wordListWriter({ read, numbers }: ValuesOf<'words'>, weight: Weight): ColumnWriter {
  const dictionary = new Dictionary((raw) => safeText(raw, MAX_NAME), weight);
  const indexes = new NumberList();
  const writtenNumbers = new NumberList();
  const ends = new NumberList();
  return {
    type: numbers ? `Map(${WORD}, UInt16)` : `Array(${WORD})`,
    hasDictionary: true,
    add(events) {
      const indexesBefore = indexes.length;
      for (const event of events) {
        const list = read(event);
        const wordNumbers = numbers?.(event);
        const items = Math.min(list.length, MAX_LIST_ITEMS);
        for (let item = 0; item < items; item += 1) {
          indexes.push(dictionary.indexOf(list[item] ?? ''));
          if (numbers) writtenNumbers.push(safeCount(wordNumbers?.[item] ?? 0, MAX_NUMBER));
        }
        ends.push(indexes.length);
      }
      weight.bytes += (numbers ? 6 : 4) * (indexes.length - indexesBefore);
    },
    cut(rows) {
      ends.cut(rows);
      indexes.cut(ends.last());
      writtenNumbers.cut(ends.last());
    },
    data: () => [
      rowEnds(ends),
      ...dictionaryData(dictionary, indexes),
      bytesOf(new Uint16Array(writtenNumbers.values())),
    ],
    clear() {
      dictionary.clear();
      indexes.cut(0);
      writtenNumbers.cut(0);
      ends.cut(0);
    },
  };
}

export function textWriter({ maxLength, read }: ValuesOf<'text'>, weight: Weight): ColumnWriter {
  const texts = new ByteWriter();
  /** The end position of the text of each row, in bytes. */
  const ends = new NumberList();
  return {
    type: 'String',
    hasDictionary: false,
    add(events) {
      const lengthBefore = texts.length;
      for (const event of events) {
        texts.text(read(event), maxLength);
        ends.push(texts.length);
      }
      weight.bytes += texts.length - lengthBefore;
    },
    cut(rows) {
      ends.cut(rows);
      texts.cut(ends.last());
    },
    data: () => [texts.writtenBytes()],
    clear() {
      texts.clear();
      ends.cut(0);
    },
  };
}
