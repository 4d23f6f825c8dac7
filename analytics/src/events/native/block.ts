import type { DecisionEvent } from '@guard/config/contract/event';
import type { EventColumn } from '../columns/column.ts';
import { ByteWriter } from './byte-writer.ts';
import type { ColumnWriter } from './column-writer.ts';
import { writerFor } from './writer-for.ts';
import type { Weight } from './dictionary.ts';

/** Version of a dictionary's layout: keys and indexes, both inside the block. */
const DICTIONARY_VERSION = 1;
/** What a row adds to all columns of numbers and indexes together, roughly. */
const BYTES_PER_ROW = 192;

/** Returns a Buffer of so many bytes, of any content. */
type Allocate = (bytes: number) => Buffer;

/**
 * Rows laid out column by column, for one block of ClickHouse's `Native` format. Everything that
 * depends on how long the rows are is done while they are added; `take` copies.
 */
export class BlockBuilder {
  readonly #writers: readonly ColumnWriter[];
  /** Name, type and versions of each column: the same in every block. */
  readonly #openings: readonly Buffer[];
  readonly #weight: Weight = { bytes: 0 };
  #rows = 0;

  constructor(columns: readonly EventColumn[]) {
    this.#writers = columns.map(({ values }) => writerFor(values, this.#weight));
    this.#openings = this.#writers.map((writer, at) => opening(columns[at]?.name ?? '', writer));
  }

  get rows(): number {
    return this.#rows;
  }

  /** What the rows take of memory, roughly, and never less than the block will have. */
  get bytes(): number {
    return this.#weight.bytes + BYTES_PER_ROW * this.#rows;
  }

  /** Adds one row. Throws on an event its maker built wrongly; the block is then as it was. */
  add(event: DecisionEvent): void {
    try {
      for (const writer of this.#writers) writer.add(event);
    } catch (error) {
      for (const writer of this.#writers) writer.cut(this.#rows);
      throw error;
    }
    this.#rows += 1;
  }

  /** The rows added so far as the bytes of one block. Afterwards there are none. */
  take(allocate: Allocate = newMemory): Buffer {
    const head = new ByteWriter();
    head.varuint(this.#writers.length);
    head.varuint(this.#rows);
    const parts = [head.written()];
    this.#writers.forEach((writer, column) => {
      parts.push(this.#openings[column] ?? Buffer.alloc(0), ...writer.data());
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

function opening(name: string, { type, dictionaries }: ColumnWriter): Buffer {
  const writer = new ByteWriter();
  writer.text(name);
  writer.text(type);
  for (let each = 0; each < dictionaries; each += 1) writer.uint64(DICTIONARY_VERSION);
  return writer.written();
}

function newMemory(bytes: number): Buffer {
  return Buffer.allocUnsafe(bytes);
}
