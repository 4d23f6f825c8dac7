import type { DecisionEvent } from '@guard/config/contract/event';
import type { ColumnValues, EventColumn } from '../columns/column.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import type { Weight } from './dictionary.ts';
import { fieldsWriter } from './fields-writer.ts';
import { uint64 } from './layout.ts';
import { countWriter, flagWriter, timeWriter, uuidWriter } from './scalar-writers.ts';
import { textWriter, wordListWriter, wordWriter } from './text-writers.ts';

/** Version of a dictionary's layout: keys and indexes are both inside the block. */
const DICTIONARY_VERSION = 1;
/** Estimated number of bytes that a row needs in all columns of numbers and indexes together. */
const BYTES_PER_ROW = 192;

/** Builds one block of ClickHouse's `Native` format. `add` does the work for each value, so that `take` only copies. */
export class BlockBuilder {
  readonly #writers: readonly ColumnWriter[];
  /** Name, type and versions of each column. They are the same in every block. */
  readonly #columnHeads: readonly Buffer[];
  readonly #weight: Weight = { bytes: 0 };
  #rows = 0;

  constructor(columns: readonly EventColumn[]) {
    this.#writers = columns.map(({ values }) => writerFor(values, this.#weight));
    this.#columnHeads = this.#writers.map((writer, at) =>
      columnHead(columns[at]?.name ?? '', writer),
    );
  }

  get rows(): number {
    return this.#rows;
  }

  /** Estimated memory of the rows in bytes. It is never less than the size of the finished block. */
  get bytes(): number {
    return this.#weight.bytes + BYTES_PER_ROW * this.#rows;
  }

  /**
   * Adds a row for each event. Throws on a malformed event and then leaves the block unchanged. The values of one
   * column are added for all events before those of the next column. This takes two thirds of the time of adding event
   * after event, because the processor repeats the same code.
   */
  add(events: readonly DecisionEvent[]): void {
    try {
      for (const writer of this.#writers) writer.add(events);
    } catch (error) {
      for (const writer of this.#writers) writer.cut(this.#rows);
      throw error;
    }
    this.#rows += events.length;
  }

  /**
   * Returns the rows as the bytes of one block, and empties the builder.
   *
   * @param allocate returns a Buffer of this many bytes with any content.
   */
  take(allocate: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafe(bytes)): Buffer {
    const head = new ByteWriter();
    head.varuint(this.#writers.length);
    head.varuint(this.#rows);
    const parts = [head.writtenBytes()];
    this.#writers.forEach((writer, column) => {
      parts.push(this.#columnHeads[column] ?? Buffer.alloc(0), ...writer.data());
    });
    const block = allocate(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) at += part.copy(block, at);
    for (const writer of this.#writers) writer.clear();
    this.#weight.bytes = 0;
    this.#rows = 0;
    return block;
  }
}

function columnHead(name: string, { type, hasDictionary }: ColumnWriter): Buffer {
  const writer = new ByteWriter();
  writer.text(name);
  writer.text(type);
  const versions = hasDictionary ? [uint64(DICTIONARY_VERSION)] : [];
  return Buffer.concat([writer.writtenBytes(), ...versions]);
}

function writerFor(values: ColumnValues, weight: Weight): ColumnWriter {
  switch (values.kind) {
    case 'word':
      return wordWriter(values, weight);
    case 'words':
      return wordListWriter(values, weight);
    case 'text':
      return textWriter(values, weight);
    case 'fields':
      return fieldsWriter(values, weight);
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
