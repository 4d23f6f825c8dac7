import { safeCount, safeText } from '../columns/safe-text.ts';
import type { ValuesOf } from '../columns/column.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { bytesOf, dictionaryData, rowEnds, WORD } from './layout.ts';
import { NumberList } from './number-list.ts';

const MAX_NUMBER = 65_535;

/** A column of words with a number each, such as findings. */
export function numberedWordsWriter(
  values: ValuesOf<'numberedWords'>,
  weight: Weight,
): ColumnWriter {
  const { maxLength, maxItems, read, numbers } = values;
  const dictionary = new Dictionary((raw) => safeText(raw, maxLength), weight);
  const words = new NumberList();
  const written = new NumberList();
  const ends = new NumberList();
  return {
    type: `Map(${WORD}, UInt16)`,
    dictionaries: 1,
    add(event) {
      const list = read(event);
      const own = numbers(event);
      const items = Math.min(list.length, maxItems);
      for (let item = 0; item < items; item += 1) {
        const word = list[item] ?? '';
        words.push(dictionary.indexOf(word));
        written.push(safeCount(own[item] ?? 0, MAX_NUMBER));
      }
      weight.bytes += 6 * items;
      ends.push(words.length);
    },
    cut(rows) {
      ends.cut(rows);
      words.cut(ends.last());
      written.cut(ends.last());
    },
    data: () => [
      rowEnds(ends),
      ...dictionaryData(dictionary, words),
      bytesOf(new Uint16Array(written.values())),
    ],
    clear() {
      dictionary.clear();
      words.cut(0);
      written.cut(0);
      ends.cut(0);
    },
  };
}
