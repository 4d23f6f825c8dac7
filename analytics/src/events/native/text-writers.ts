import type { ValuesOf } from '../columns/column.ts';
import { safeText } from '../columns/safe-text.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { dictionaryData, rowEnds, WORD } from './layout.ts';
import { NumberList } from './number-list.ts';

export function wordWriter(values: ValuesOf<'word'>, weight: Weight): ColumnWriter {
  const { maxLength, read } = values;
  const dictionary = new Dictionary((raw) => safeText(raw, maxLength), weight);
  const indexes = new NumberList();
  return {
    type: WORD,
    dictionaries: 1,
    add: (event) => indexes.push(dictionary.indexOf(read(event))),
    cut: (rows) => indexes.cut(rows),
    data: () => dictionaryData(dictionary, indexes),
    clear() {
      dictionary.clear();
      indexes.cut(0);
    },
  };
}

export function wordsWriter(values: ValuesOf<'words'>, weight: Weight): ColumnWriter {
  const { maxLength, maxItems, read } = values;
  const dictionary = new Dictionary((raw) => safeText(raw, maxLength), weight);
  const indexes = new NumberList();
  const ends = new NumberList();
  return {
    type: `Array(${WORD})`,
    dictionaries: 1,
    add(event) {
      const list = read(event);
      const items = Math.min(list.length, maxItems);
      for (let item = 0; item < items; item += 1) {
        indexes.push(dictionary.indexOf(list[item] ?? ''));
      }
      weight.bytes += 4 * items;
      ends.push(indexes.length);
    },
    cut(rows) {
      ends.cut(rows);
      indexes.cut(ends.last());
    },
    data: () => [rowEnds(ends), ...dictionaryData(dictionary, indexes)],
    clear() {
      dictionary.clear();
      indexes.cut(0);
      ends.cut(0);
    },
  };
}

export function textWriter({ maxLength, read }: ValuesOf<'text'>, weight: Weight): ColumnWriter {
  const texts = new ByteWriter();
  /** In bytes. */
  const ends = new NumberList();
  return {
    type: 'String',
    dictionaries: 0,
    add(event) {
      const before = texts.length;
      texts.text(read(event), maxLength);
      weight.bytes += texts.length - before;
      ends.push(texts.length);
    },
    cut(rows) {
      ends.cut(rows);
      texts.cut(ends.last());
    },
    data: () => [texts.written()],
    clear() {
      texts.clear();
      ends.cut(0);
    },
  };
}
