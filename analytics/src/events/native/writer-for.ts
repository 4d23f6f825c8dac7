import type { ColumnValues } from '../columns/column.ts';
import type { ColumnWriter } from './column-writer.ts';
import type { Weight } from './dictionary.ts';
import { fieldsWriter } from './fields-writer.ts';
import { countWriter, flagWriter, timeWriter, uuidWriter } from './scalar-writers.ts';
import { textWriter, wordsWriter, wordWriter } from './text-writers.ts';
import { numberedWordsWriter } from './numbered-words-writer.ts';

export function writerFor(values: ColumnValues, weight: Weight): ColumnWriter {
  switch (values.kind) {
    case 'word':
      return wordWriter(values, weight);
    case 'words':
      return wordsWriter(values, weight);
    case 'text':
      return textWriter(values, weight);
    case 'fields':
      return fieldsWriter(values, weight);
    case 'numberedWords':
      return numberedWordsWriter(values, weight);
    case 'uuid':
      return uuidWriter(values);
    case 'time':
      return timeWriter(values);
    case 'count':
      return countWriter(values);
    case 'flag':
      return flagWriter(values);
  }
}
