/**
 * Joins Parquet files with the same columns into one. A Parquet file has row groups. The footer at its end has the
 * offset of each row group. The row groups are copied unchanged, and the offsets in the footer are changed. The footer
 * is a struct of Thrift's compact protocol.
 */

const MAGIC = Buffer.from('PAR1');
/** The end of a file has this many bytes: the length of the footer, and the magic bytes again. */
const TAIL_BYTES = 8;

/** How to handle the fields of a struct. The keys are their numbers in parquet.thrift. Other fields are copied. */
interface StructShape {
  readonly [field: number]: 'place' | 'drop' | StructShape;
}

/**
 * Two optional kinds of fields are dropped: the offsets of page indexes, because an index contains offsets too, and
 * the number of a row group in its file.
 */
const ROW_GROUP: StructShape = {
  1: {
    ...{ 2: 'place', 4: 'drop', 5: 'drop', 6: 'drop', 7: 'drop' },
    3: { 9: 'place', 10: 'place', 11: 'place', 14: 'place' },
  },
  5: 'place',
  7: 'drop',
};
const [SCHEMA, ROW_COUNT, ROW_GROUPS] = [2, 3, 4];

const TYPES = {
  ...{ stop: 0, yes: 1, no: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8 },
  ...{ list: 9, set: 10, struct: 12 },
} as const;

interface Field {
  readonly id: number;
  readonly type: number;
  readonly value: Buffer;
}

export class ParquetJoin {
  /** The footer of the first file. */
  #firstFooter: readonly Field[] | undefined;
  readonly #rowGroups: Buffer[] = [];
  #groupCount = 0;
  #bytes = 0;
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /**
   * The bytes to write for one more file. Throws when it is not a Parquet file or has other columns than the first
   * file.
   */
  add(file: Buffer): Buffer {
    const isFirst = this.#firstFooter === undefined;
    const start = isFirst ? 0 : MAGIC.length;
    const { data, footer } = splitFile(file);
    const fields = new FooterReader(footer, this.#bytes - start).fields();
    this.#firstFooter ??= fields;
    const [schema, firstSchema] = [valueOf(fields, SCHEMA), valueOf(this.#firstFooter, SCHEMA)];
    if (!schema.equals(firstSchema)) throw new Error('the columns have changed meanwhile');
    const { count, elements } = listOf(valueOf(fields, ROW_GROUPS));
    this.#rowGroups.push(elements);
    this.#groupCount += count;
    this.#rows += Number(new FooterReader(valueOf(fields, ROW_COUNT)).zigzag());
    const bytes = data.subarray(start);
    this.#bytes += bytes.length;
    return bytes;
  }

  /** The end of the joined file. At least one file must have been added. */
  end(): Buffer {
    const parts: Buffer[] = [];
    let lastId = 0;
    for (const { id, type, value } of this.#firstFooter ?? []) {
      parts.push(Buffer.from(fieldHead(id, lastId, type)));
      lastId = id;
      if (id === ROW_COUNT) parts.push(Buffer.from(varint(BigInt(this.#rows) * 2n)));
      else if (id === ROW_GROUPS) parts.push(listHead(this.#groupCount), ...this.#rowGroups);
      else parts.push(value);
    }
    parts.push(Buffer.from([TYPES.stop]));
    const tail = Buffer.alloc(TAIL_BYTES);
    tail.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0));
    MAGIC.copy(tail, TAIL_BYTES - MAGIC.length);
    return Buffer.concat([...parts, tail]);
  }
}

function splitFile(file: Buffer): { data: Buffer; footer: Buffer } {
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
  const match = fields.find((field) => field.id === id);
  if (match === undefined) throw new Error(`the footer has no field ${id}`);
  return match.value;
}

/** Reads a struct, and adds `movedBy` to the offsets in its copy. Throws when the bytes are not a struct. */
class FooterReader {
  readonly #input: Buffer;
  readonly #movedBy: bigint;
  #at = 0;
  #output: number[] = [];

  constructor(bytes: Buffer, movedBy = 0) {
    this.#input = bytes;
    this.#movedBy = BigInt(movedBy);
  }

  /** The fields of the footer, with changed offsets of the row groups. */
  fields(): Field[] {
    const foundFields: Field[] = [];
    for (let head = this.#fieldHead(0); head; head = this.#fieldHead(head.id)) {
      this.#output = [];
      this.#value(head.type, head.id === ROW_GROUPS ? ROW_GROUP : {});
      foundFields.push({ ...head, value: Buffer.from(this.#output) });
    }
    return foundFields;
  }

  zigzag(): bigint {
    const encodedNumber = this.varint();
    return encodedNumber & 1n ? -(encodedNumber >> 1n) - 1n : encodedNumber >> 1n;
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
    const byte = this.#input[this.#at];
    if (byte === undefined) throw new Error('the footer ends too early');
    this.#at += 1;
    return byte;
  }

  rest(): Buffer {
    return this.#input.subarray(this.#at);
  }

  /** Reads the id and the type of the next field. Undefined at the end of the struct. */
  #fieldHead(lastId: number): { id: number; type: number } | undefined {
    const byte = this.byte();
    if (byte === TYPES.stop) return undefined;
    return { id: byte >> 4 ? lastId + (byte >> 4) : Number(this.zigzag()), type: byte & 0x0f };
  }

  #struct(shape: StructShape): void {
    let lastWrittenId = 0;
    for (let head = this.#fieldHead(0); head; head = this.#fieldHead(head.id)) {
      const treatment = shape[head.id] ?? {};
      const lengthBefore = this.#output.length;
      if (treatment !== 'drop') {
        this.#output.push(...fieldHead(head.id, lastWrittenId, head.type));
        lastWrittenId = head.id;
      }
      this.#value(head.type, treatment);
      if (treatment === 'drop') this.#output.length = lengthBefore;
    }
    this.#output.push(TYPES.stop);
  }

  #value(type: number, treatment: StructShape[number]): void {
    if (type === TYPES.i64) this.#number(treatment === 'place');
    else if (type === TYPES.i16 || type === TYPES.i32) this.#output.push(...varint(this.varint()));
    else if (type === TYPES.byte) this.#copy(1n);
    else if (type === TYPES.double) this.#copy(8n);
    else if (type === TYPES.binary) this.#text();
    else if (type === TYPES.list || type === TYPES.set) this.#list(treatment);
    else if (type === TYPES.struct) this.#struct(typeof treatment === 'object' ? treatment : {});
    // A boolean has no bytes of its own, because its value is part of its type.
    else if (type !== TYPES.yes && type !== TYPES.no)
      throw new Error(`the footer has a type ${type}`);
  }

  #number(isPlace: boolean): void {
    const value = this.zigzag();
    // An offset of 0 means that the offset is absent.
    const newOffset = isPlace && value > 0n ? value + this.#movedBy : value;
    this.#output.push(...varint(newOffset < 0n ? -2n * newOffset - 1n : 2n * newOffset));
  }

  #text(): void {
    const length = this.varint();
    this.#output.push(...varint(length));
    this.#copy(length);
  }

  #list(treatment: StructShape[number]): void {
    const head = this.byte();
    const size = head >> 4 === 15 ? this.varint() : BigInt(head >> 4);
    this.#output.push(...(head >> 4 === 15 ? [head, ...varint(size)] : [head]));
    const type = head & 0x0f;
    // In a list a boolean is a byte.
    const isTruth = type === TYPES.yes || type === TYPES.no;
    for (let at = 0n; at < size; at += 1n) this.#value(isTruth ? TYPES.byte : type, treatment);
  }

  #copy(bytes: bigint): void {
    for (let at = 0n; at < bytes; at += 1n) this.#output.push(this.byte());
  }
}

function listOf(value: Buffer): { count: number; elements: Buffer } {
  const reader = new FooterReader(value);
  const head = reader.byte();
  const count = head >> 4 === 15 ? Number(reader.varint()) : head >> 4;
  return { count, elements: reader.rest() };
}

function listHead(count: number): Buffer {
  return Buffer.from([0xf0 | TYPES.struct, ...varint(BigInt(count))]);
}

function fieldHead(id: number, lastId: number, type: number): number[] {
  const step = id - lastId;
  return step > 0 && step <= 15 ? [(step << 4) | type] : [type, ...varint(BigInt(id) * 2n)];
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
