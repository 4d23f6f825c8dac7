import type { ValuesOf } from '../columns/column.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary, LEFT_OUT } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { dictionaryData, rowEnds, WORD } from './layout.ts';
import { NumberList } from './number-list.ts';
import { RowMemory } from './row-memory.ts';

type Fields = ReturnType<ValuesOf<'fields'>['read']>;

/**
 * A column of names with a text each, such as headers. An event is never changed once it is recorded,
 * so an object that comes again, as the headers of a page's images do, repeats the row it made.
 */
export function fieldsWriter(values: ValuesOf<'fields'>, weight: Weight): ColumnWriter {
  const { nameOf, maxNameLength, maxValueLength, maxFields, read } = values;
  const dictionary = new Dictionary(nameOf, weight);
  const names = new NumberList();
  const texts = new ByteWriter();
  const ends = new NumberList();
  const textEnds = new NumberList();
  /** Where each name was put last, by its index. */
  let lastAt: number[] = [];
  const made = new RowMemory<Fields>();

  /** Names that differ in case are one field of a row, and the first counts. */
  function isTaken(name: number, rowStart: number): boolean {
    const at = lastAt[name] ?? -1;
    return at >= rowStart && names.at(at) === name;
  }

  function encode(fields: Fields): void {
    const rowStart = names.length;
    let left = maxFields;
    let room = values.inFullLength;
    for (const field in fields) {
      const name = dictionary.indexOf(field);
      if (name === LEFT_OUT || isTaken(name, rowStart)) continue;
      const text = fields[field] ?? '';
      left -= 1;
      if (left < 0) break;
      const most = room > 0 ? maxValueLength : values.maxValueLengthBehind;
      room -= Math.min(field.length, maxNameLength) + Math.min(text.length, most);
      lastAt[name] = names.length;
      names.push(name);
      texts.text(text, most);
    }
  }

  function repeat(row: number): void {
    names.repeat(startOf(ends, row), ends.at(row));
    texts.repeat(startOf(textEnds, row), textEnds.at(row));
  }

  return {
    type: `Map(${WORD}, String)`,
    dictionaries: 1,
    add(event) {
      const fields = read(event);
      const namesBefore = names.length;
      const textsBefore = texts.length;
      const row = made.rowOf(fields);
      if (row === undefined) {
        encode(fields);
        made.remember(fields, ends.length);
      } else {
        repeat(row);
      }
      weight.bytes += 4 * (names.length - namesBefore) + texts.length - textsBefore;
      ends.push(names.length);
      textEnds.push(texts.length);
    },
    cut(rows) {
      // Among those remembered may be the row that goes, whose number the next one gets.
      made.clear();
      ends.cut(rows);
      textEnds.cut(rows);
      names.cut(ends.last());
      texts.cut(textEnds.last());
    },
    data: () => [rowEnds(ends), ...dictionaryData(dictionary, names), texts.written()],
    clear() {
      made.clear();
      dictionary.clear();
      names.cut(0);
      texts.clear();
      ends.cut(0);
      textEnds.cut(0);
      lastAt = [];
    },
  };
}

function startOf(ends: NumberList, row: number): number {
  return row === 0 ? 0 : ends.at(row - 1);
}
