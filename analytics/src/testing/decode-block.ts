/** A value of one row in the block. Numbers of 64 bits are returned as numbers. */
export type Decoded =
  string | number | boolean | string[] | [string, string][] | [string, number][];

/**
 * Decodes one block of ClickHouse's `Native` format, with only the types that events use. A row is a Map from column
 * name to value. Throws when bytes are missing or left over. Other tests ask the database how it reads a block.
 */
export function decodeBlock(block: Buffer): Map<string, Decoded>[] {
  const reader = new BlockReader(block);
  const columns = reader.varuint();
  const rows = Array.from({ length: reader.varuint() }, () => new Map<string, Decoded>());
  for (let column = 0; column < columns; column += 1) {
    const name = reader.text();
    const values = reader.column(reader.text(), rows.length);
    rows.forEach((row, at) => row.set(name, values[at] ?? fail('a value is missing')));
  }
  if (reader.bytesLeft() !== 0) fail(`${reader.bytesLeft()} bytes are left over`);
  return rows;
}

class BlockReader {
  readonly #block: Buffer;
  #offset = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  bytesLeft(): number {
    return this.#block.length - this.#offset;
  }

  varuint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.number(1);
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  number(bytes: 1 | 2 | 4): number {
    this.#offset += bytes;
    return this.#block.readUIntLE(this.#offset - bytes, bytes);
  }

  long(): number {
    return this.number(4) + this.number(4) * 2 ** 32;
  }

  text(): string {
    const length = this.varuint();
    if (length > this.bytesLeft()) fail('a text is cut');
    this.#offset += length;
    return this.#block.toString('utf8', this.#offset - length, this.#offset);
  }

  column(type: string, rows: number): Decoded[] {
    switch (type) {
      case 'String':
        return times(rows, () => this.text());
      case 'LowCardinality(String)':
        this.#version();
        return this.#words(rows);
      case 'Array(LowCardinality(String))': {
        this.#version();
        const ends = times(rows, () => this.long());
        const words = this.#words(ends.at(-1) ?? 0);
        return ends.map((end, row) => words.slice(ends[row - 1] ?? 0, end));
      }
      case 'Map(LowCardinality(String), String)': {
        this.#version();
        const ends = times(rows, () => this.long());
        const names = this.#words(ends.at(-1) ?? 0);
        const fields = names.map((name): [string, string] => [name, this.text()]);
        return ends.map((end, row) => fields.slice(ends[row - 1] ?? 0, end));
      }
      case 'Map(LowCardinality(String), UInt16)': {
        this.#version();
        const ends = times(rows, () => this.long());
        const words = this.#words(ends.at(-1) ?? 0);
        const weights = words.map((word): [string, number] => [word, this.number(2)]);
        return ends.map((end, row) => weights.slice(ends[row - 1] ?? 0, end));
      }
      case 'UUID':
        return times(rows, () => this.#uuid());
      case "DateTime64(3, 'UTC')":
        return times(rows, () => this.long());
      case 'UInt32':
        return times(rows, () => this.number(4));
      case 'Bool':
        return times(rows, () => this.number(1) === 1);
      default:
        return fail(`a column of type ${type}`);
    }
  }

  #version(): void {
    if (this.long() !== 1) fail('a dictionary of another version');
  }

  /** Reads a dictionary with its indexes. When a column has no elements, it has no dictionary. */
  #words(elements: number): string[] {
    if (elements === 0) return [];
    const width = ([1, 2, 4] as const)[this.long() & 0xff] ?? fail('an index of 64 bits');
    const keys = times(this.long(), () => this.text());
    if (this.long() !== elements) fail('another number of indexes');
    return times(elements, () => keys[this.number(width)] ?? fail('an index without a key'));
  }

  #uuid(): string {
    const [second, first, fourth, third] = times(4, () =>
      this.number(4).toString(16).padStart(8, '0'),
    );
    const digits = `${first}${second}${third}${fourth}`;
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}

function times<Value>(count: number, read: () => Value): Value[] {
  return Array.from({ length: count }, read);
}

function fail(problem: string): never {
  throw new Error(`Not a block of events: ${problem}`);
}
