const FIRST_BYTES = 4096;
/** A buffer up to this size is kept for the next block. A larger buffer is kept only while blocks need it. */
const KEPT_BYTES = 1024 * 1024;
/** A larger buffer is freed when a block uses less than this share of it, because only a flood needed it. */
const MIN_FILL_SHARE = 1 / 4;
/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const MAX_VARUINT_BYTES = 5;
/** Texts up to this length are written character by character, which costs less than the general call. */
const SHORT_LENGTH = 24;

/** A growing byte buffer with the primitives of ClickHouse's `Native` format. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #usedBytes = 0;

  get length(): number {
    return this.#usedBytes;
  }

  /** Returns the written bytes. They are valid until the next call of this writer. */
  writtenBytes(): Buffer {
    return this.#bytes.subarray(0, this.#usedBytes);
  }

  clear(): void {
    const { length } = this.#bytes;
    if (length > KEPT_BYTES && this.#usedBytes < length * MIN_FILL_SHARE) {
      this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    }
    this.#usedBytes = 0;
  }

  /** Removes everything from `length` on. */
  cut(length: number): void {
    this.#usedBytes = Math.min(this.#usedBytes, length);
  }

  /** Adds the bytes from `start` up to `end` again. */
  repeat(start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#usedBytes, start, end);
    this.#usedBytes += end - start;
  }

  /** Writes a length or a count below 2^31 as LEB128. */
  varuint(value: number): void {
    this.#reserve(MAX_VARUINT_BYTES);
    this.#usedBytes = writeVaruint(this.#bytes, this.#usedBytes, value);
  }

  /**
   * Writes the length in bytes, then the text as UTF-8. A lone surrogate, which a visitor can send, becomes U+FFFD.
   *
   * @param maxLength in UTF-16 code units. A longer text is cut.
   */
  text(value: string, maxLength: number = value.length): void {
    const cutValue = value.length > maxLength ? value.slice(0, maxLength) : value;
    this.#reserve(MAX_VARUINT_BYTES + cutValue.length * MAX_BYTES_PER_UNIT);
    if (cutValue.length <= SHORT_LENGTH && this.#writeShortAscii(cutValue)) return;
    // Nearly all text is ASCII, so its length in bytes is usually known before it is written.
    const guessedLengthBytes = varuintBytes(cutValue.length);
    const valueBytes = this.#bytes.write(cutValue, this.#usedBytes + guessedLengthBytes);
    const neededLengthBytes = varuintBytes(valueBytes);
    if (neededLengthBytes !== guessedLengthBytes) {
      const guessedStart = this.#usedBytes + guessedLengthBytes;
      this.#bytes.copyWithin(
        this.#usedBytes + neededLengthBytes,
        guessedStart,
        guessedStart + valueBytes,
      );
    }
    this.#usedBytes = writeVaruint(this.#bytes, this.#usedBytes, valueBytes) + valueBytes;
  }

  /** Returns false and writes nothing when the text has a character that is not ASCII. */
  #writeShortAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#usedBytes;
    bytes[at++] = text.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      bytes[at++] = code;
    }
    this.#usedBytes = at;
    return true;
  }

  #reserve(bytes: number): void {
    if (this.#usedBytes + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#usedBytes + bytes));
    this.#bytes.copy(larger, 0, 0, this.#usedBytes);
    this.#bytes = larger;
  }
}

function varuintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}

/** Returns the position for the next byte. */
function writeVaruint(bytes: Buffer, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
  bytes[at++] = rest;
  return at;
}
