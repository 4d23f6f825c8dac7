/**
 * Joins many Parquet files with the same columns into one. A Parquet file has row groups, and at its end a footer
 * with the offset of each. The row groups are copied unchanged, and the offsets in the footer are moved. The footer
 * is a struct of Thrift's compact protocol.
 */

const MAGIC = Buffer.from('PAR1');
/** Length of the footer, and the magic bytes again. */
const TAIL_BYTES = 8;

/** How to treat the fields of a struct, by their numbers in parquet.thrift. Other fields are copied. */
interface Shape {
  readonly [field: number]: 'place' | 'drop' | Shape;
}

/**
 * Two optional kinds of fields are left out: the offsets of page indexes, because an index contains offsets itself,
 * and the number of a row group in its file.
 */
const ROW_GROUP: Shape = {
  1: {
    ...{ 2: 'place', 4: 'drop', 5: 'drop', 6: 'drop', 7: 'drop' },
    3: { 9: 'place', 10: 'place', 11: 'place', 14: 'place' },
  },
  5: 'place',
  7: 'drop',
};
const [SCHEMA, ROWS, ROW_GROUPS] = [2, 3, 4];

/** Types of the compact protocol. */
const T = {
  ...{ stop: 0, yes: 1, no: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8 },
  ...{ list: 9, set: 10, struct: 12 },
} as const;

/** A field of the footer and its bytes. */
interface Field {
  readonly id: number;
  readonly type: number;
  readonly value: Buffer;
}

export class ParquetJoin {
  /** The footer of the first file. */
  #first: readonly Field[] | undefined;
  readonly #groups: Buffer[] = [];
  #groupCount = 0;
  #bytes = 0;
  #rows = 0;

  /** Rows of all files that were added. */
  get rows(): number {
    return this.#rows;
  }

  /** The bytes to write for one more file. Throws when it is no Parquet file, or has other columns than the first. */
  add(file: Buffer): Buffer {
    const isFirst = this.#first === undefined;
    const start = isFirst ? 0 : MAGIC.length;
    const { data, footer } = split(file);
    const fields = new FooterReader(footer, this.#bytes - start).fields();
    this.#first ??= fields;
    const [schema, known] = [valueOf(fields, SCHEMA), valueOf(this.#first, SCHEMA)];
    if (!schema.equals(known)) throw new Error('the columns have changed meanwhile');
    const { count, elements } = listOf(valueOf(fields, ROW_GROUPS));
    this.#groups.push(elements);
    this.#groupCount += count;
    this.#rows += Number(new FooterReader(valueOf(fields, ROWS)).zigzag());
    const bytes = data.subarray(start);
    this.#bytes += bytes.length;
    return bytes;
  }

  /** The end of the joined file. At least one file must have been added. */
  end(): Buffer {
    const parts: Buffer[] = [];
    let last = 0;
    for (const { id, type, value } of this.#first ?? []) {
      parts.push(Buffer.from(fieldHead(id, last, type)));
      last = id;
      if (id === ROWS) parts.push(Buffer.from(varint(BigInt(this.#rows) * 2n)));
      else if (id === ROW_GROUPS) parts.push(listHead(this.#groupCount), ...this.#groups);
      else parts.push(value);
    }
    parts.push(Buffer.from([T.stop]));
    const tail = Buffer.alloc(TAIL_BYTES);
    tail.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0));
    MAGIC.copy(tail, TAIL_BYTES - MAGIC.length);
    return Buffer.concat([...parts, tail]);
  }
}

function split(file: Buffer): { data: Buffer; footer: Buffer } {
  const footerEnd = file.length - TAIL_BYTES;
  const isWhole =
    footerEnd >= MAGIC.length &&
    file.subarray(0, MAGIC.length).equals(MAGIC) &&
    file.subarray(-MAGIC.length).equals(MAGIC);
  const footerStart = isWhole ? footerEnd - file.readUInt32LE(footerEnd) : 0;
  if (footerStart < MAGIC.length) throw new Error('the answer is no whole Parquet file');
  return { data: file.subarray(0, footerStart), footer: file.subarray(footerStart, footerEnd) };
}

function valueOf(fields: readonly Field[], id: number): Buffer {
  const found = fields.find((field) => field.id === id);
  if (found === undefined) throw new Error(`the footer has no field ${id}`);
  return found.value;
}

/** Copies a struct and adds `movedBy` to its offsets. Throws when the bytes are not a struct. */
class FooterReader {
  readonly #in: Buffer;
  readonly #moved: bigint;
  #at = 0;
  #out: number[] = [];

  constructor(bytes: Buffer, movedBy = 0) {
    this.#in = bytes;
    this.#moved = BigInt(movedBy);
  }

  /** The fields of the footer with moved offsets of the row groups. */
  fields(): Field[] {
    const found: Field[] = [];
    for (let head = this.#fieldHead(0); head; head = this.#fieldHead(head.id)) {
      this.#out = [];
      this.#value(head.type, head.id === ROW_GROUPS ? ROW_GROUP : {});
      found.push({ ...head, value: Buffer.from(this.#out) });
    }
    return found;
  }

  zigzag(): bigint {
    const folded = this.varint();
    return folded & 1n ? -(folded >> 1n) - 1n : folded >> 1n;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  byte(): number {
    const byte = this.#in[this.#at];
    if (byte === undefined) throw new Error('the footer ends too early');
    this.#at += 1;
    return byte;
  }

  /** The unread bytes. */
  rest(): Buffer {
    return this.#in.subarray(this.#at);
  }

  /** Undefined at the end of the struct. */
  #fieldHead(last: number): { id: number; type: number } | undefined {
    const byte = this.byte();
    if (byte === T.stop) return undefined;
    return { id: byte >> 4 ? last + (byte >> 4) : Number(this.zigzag()), type: byte & 0x0f };
  }

  #struct(shape: Shape): void {
    let written = 0;
    for (let head = this.#fieldHead(0); head; head = this.#fieldHead(head.id)) {
      const treatment = shape[head.id] ?? {};
      const before = this.#out.length;
      if (treatment !== 'drop') {
        this.#out.push(...fieldHead(head.id, written, head.type));
        written = head.id;
      }
      this.#value(head.type, treatment);
      if (treatment === 'drop') this.#out.length = before;
    }
    this.#out.push(T.stop);
  }

  #value(type: number, treatment: Shape[number]): void {
    if (type === T.i64) this.#number(treatment === 'place');
    else if (type === T.i16 || type === T.i32) this.#out.push(...varint(this.varint()));
    else if (type === T.byte) this.#copy(1n);
    else if (type === T.double) this.#copy(8n);
    else if (type === T.binary) this.#text();
    else if (type === T.list || type === T.set) this.#list(treatment);
    else if (type === T.struct) this.#struct(typeof treatment === 'object' ? treatment : {});
    // A boolean value is part of its type.
    else if (type !== T.yes && type !== T.no) throw new Error(`the footer has a type ${type}`);
  }

  #number(isPlace: boolean): void {
    const value = this.zigzag();
    // An offset of 0 means that there is none.
    const moved = isPlace && value > 0n ? value + this.#moved : value;
    this.#out.push(...varint(moved < 0n ? -2n * moved - 1n : 2n * moved));
  }

  #text(): void {
    const length = this.varint();
    this.#out.push(...varint(length));
    this.#copy(length);
  }

  #list(treatment: Shape[number]): void {
    const head = this.byte();
    const size = head >> 4 === 15 ? this.varint() : BigInt(head >> 4);
    this.#out.push(...(head >> 4 === 15 ? [head, ...varint(size)] : [head]));
    const type = head & 0x0f;
    // In a list a boolean is a byte.
    const isTruth = type === T.yes || type === T.no;
    for (let at = 0n; at < size; at += 1n) this.#value(isTruth ? T.byte : type, treatment);
  }

  #copy(bytes: bigint): void {
    for (let at = 0n; at < bytes; at += 1n) this.#out.push(this.byte());
  }
}

/** The number of elements of a list, and their bytes. */
function listOf(value: Buffer): { count: number; elements: Buffer } {
  const reader = new FooterReader(value);
  const head = reader.byte();
  const count = head >> 4 === 15 ? Number(reader.varint()) : head >> 4;
  return { count, elements: reader.rest() };
}

function listHead(count: number): Buffer {
  return Buffer.from([0xf0 | T.struct, ...varint(BigInt(count))]);
}

function fieldHead(id: number, last: number, type: number): number[] {
  const step = id - last;
  return step > 0 && step <= 15 ? [(step << 4) | type] : [type, ...varint(BigInt(id) * 2n)];
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
