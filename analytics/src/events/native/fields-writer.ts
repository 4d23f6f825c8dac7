import { VALIDATE } from '@guard/config/contract/limits';
import { type ValuesOf, WORD } from '../columns/column.ts';
import { safeText } from '../columns/safe-text.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { Dictionary, LEFT_OUT_INDEX } from './dictionary.ts';
import type { Weight } from './dictionary.ts';
import { dictionaryData, rowEnds } from './layout.ts';
import { NumberList } from './number-list.ts';

/** Maximum length of a field name, in UTF-16 code units. */
const MAX_FIELD_NAME = 128;
const MAX_VALUE = 2048;
/** Maximum number of fields of a request. Further fields are left out. */
const MAX_FIELDS = VALIDATE.maxHeaders;
/**
 * The number of characters of an event's headers that are kept in full. Each value after them is cut to its first
 * characters, so that padded requests can neither fill the disk nor hide the fields after the padding.
 */
const MAX_FULL_CHARS = 8192;
const MAX_CUT_VALUE = 64;
/** Maximum number of remembered objects. They stay in memory until the block is taken. */
const MAX_REMEMBERED = 256;

type Fields = ReturnType<ValuesOf<'fields'>['read']>;

/**
 * Writes a column of names that each have a text, such as headers. A recorded event never changes. So when the same
 * object comes again, its row is repeated. For example, all images of a page can share one headers object.
 */
export function fieldsWriter({ isKept, read }: ValuesOf<'fields'>, weight: Weight): ColumnWriter {
  const dictionary = new Dictionary((field) => {
    const name = safeText(field.toLowerCase(), MAX_FIELD_NAME);
    return isKept(name) ? name : undefined;
  }, weight);
  const names = new NumberList();
  const texts = new ByteWriter();
  const ends = new NumberList();
  const textEnds = new NumberList();
  /** For the index of each name, the position at which the name was last used. */
  let lastUseByName: number[] = [];
  const rowMemory = new RowMemory();

  /** Names that differ only in case are one field of a row. The first field is kept. */
  function isTaken(name: number, rowStart: number): boolean {
    const at = lastUseByName[name] ?? -1;
    return at >= rowStart && names.at(at) === name;
  }

  function encode(fields: Fields): void {
    const rowStart = names.length;
    let fieldsLeft = MAX_FIELDS;
    let fullCharsLeft = MAX_FULL_CHARS;
    for (const field in fields) {
      const name = dictionary.indexOf(field);
      if (name === LEFT_OUT_INDEX || isTaken(name, rowStart)) continue;
      const text = fields[field] ?? '';
      fieldsLeft -= 1;
      if (fieldsLeft < 0) break;
      const maxLength = fullCharsLeft > 0 ? MAX_VALUE : MAX_CUT_VALUE;
      fullCharsLeft -= Math.min(field.length, MAX_FIELD_NAME) + Math.min(text.length, maxLength);
      lastUseByName[name] = names.length;
      names.push(name);
      texts.text(text, maxLength);
    }
  }

  function repeat(row: number): void {
    names.repeat(startOf(ends, row), ends.at(row));
    texts.repeat(startOf(textEnds, row), textEnds.at(row));
  }

  return {
    type: `Map(${WORD}, String)`,
    hasDictionary: true,
    add(events) {
      const namesBefore = names.length;
      const textsBefore = texts.length;
      for (const event of events) {
        const fields = read(event);
        const row = rowMemory.rowOf(fields);
        if (row === undefined) {
          encode(fields);
          rowMemory.remember(fields, ends.length);
        } else {
          repeat(row);
        }
        ends.push(names.length);
        textEnds.push(texts.length);
      }
      weight.bytes += 4 * (names.length - namesBefore) + texts.length - textsBefore;
    },
    cut(rows) {
      // A removed row can still be remembered, and the next row gets the same number.
      rowMemory.clear();
      ends.cut(rows);
      textEnds.cut(rows);
      names.cut(ends.last());
      texts.cut(textEnds.last());
    },
    data: () => [rowEnds(ends), ...dictionaryData(dictionary, names), texts.writtenBytes()],
    clear() {
      rowMemory.clear();
      dictionary.clear();
      names.cut(0);
      texts.clear();
      ends.cut(0);
      textEnds.cut(0);
      lastUseByName = [];
    },
  };
}

function startOf(ends: NumberList, row: number): number {
  return row === 0 ? 0 : ends.at(row - 1);
}

/** Remembers from which object each row of the block came, so that the row can be repeated for the same object. */
class RowMemory {
  readonly #rows = new Map<Fields, number>();
  #repeatCount = 0;

  /** Undefined for an object that is not remembered. */
  rowOf(source: Fields): number | undefined {
    const row = this.#rows.get(source);
    if (row !== undefined) this.#repeatCount += 1;
    return row;
  }

  remember(source: Fields, row: number): void {
    if (this.#rows.size === MAX_REMEMBERED) {
      // Few objects came again, so most visitors sent only one request. Then remembering costs more than it saves.
      if (this.#repeatCount < MAX_REMEMBERED) return;
      this.clear();
    }
    this.#rows.set(source, row);
  }

  clear(): void {
    this.#rows.clear();
    this.#repeatCount = 0;
  }
}
