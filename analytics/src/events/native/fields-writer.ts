import type { ValuesOf } from '../columns.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary, LEFT_OUT } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { dictionaryData, rowEnds, WORD } from './layout.ts';
import { NumberList } from './number-list.ts';

/** A column of names with a text each, such as headers. */
export function fieldsWriter(values: ValuesOf<'fields'>, weight: Weight): ColumnWriter {
  const { nameOf, maxNameLength, maxValueLength, maxFields, maxLength, read } = values;
  const dictionary = new Dictionary(nameOf, weight);
  const names = new NumberList();
  const texts = new ByteWriter();
  const ends = new NumberList();
  const textEnds = new NumberList();
  /** Where each name was put last, by its index. */
  let lastAt: number[] = [];

  /** Names that differ in case are one field of a row, and the first counts. */
  function isTaken(name: number, rowStart: number): boolean {
    const at = lastAt[name] ?? -1;
    return at >= rowStart && names.at(at) === name;
  }

  return {
    type: `Map(${WORD}, String)`,
    dictionaries: 1,
    add(event) {
      const fields = read(event);
      const rowStart = names.length;
      const before = texts.length;
      let left = maxFields;
      let room = maxLength;
      for (const field in fields) {
        const name = dictionary.indexOf(field);
        if (name === LEFT_OUT || isTaken(name, rowStart)) continue;
        const text = fields[field] ?? '';
        left -= 1;
        room -= Math.min(field.length, maxNameLength) + Math.min(text.length, maxValueLength);
        if (left < 0 || room < 0) break;
        lastAt[name] = names.length;
        names.push(name);
        texts.text(text, maxValueLength);
      }
      weight.bytes += 4 * (names.length - rowStart) + texts.length - before;
      ends.push(names.length);
      textEnds.push(texts.length);
    },
    cut(rows) {
      ends.cut(rows);
      textEnds.cut(rows);
      names.cut(ends.last());
      texts.cut(textEnds.last());
    },
    data: () => [rowEnds(ends), ...dictionaryData(dictionary, names), texts.written()],
    clear() {
      dictionary.clear();
      names.cut(0);
      texts.clear();
      ends.cut(0);
      textEnds.cut(0);
      lastAt = [];
    },
  };
}
