const FIRST_BYTES = 4096;
/** A buffer up to this size is kept for the next block. A larger one is kept only while blocks need it. */
const KEPT_BYTES = 1024 * 1024;
/** A larger buffer with less than this share in use is freed, because only a flood needed it. */
const FILLED = 1 / 4;
/** A UTF-16 code unit takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const MAX_VARUINT_BYTES = 5;
/** Shorter texts are written here, which costs less than the call for any text. */
const SHORT = 24;

/** A growing byte buffer with the primitives of ClickHouse's `Native` format. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;

  get length(): number {
    return this.#used;
  }

  /** Valid until the next call of this writer. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  clear(): void {
    const { length } = this.#bytes;
    if (length > KEPT_BYTES && this.#used < length * FILLED) {
      this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    }
    this.#used = 0;
  }

  /** Removes everything from `length` on. */
  cut(length: number): void {
    this.#used = Math.min(this.#used, length);
  }

  /** Adds the bytes from `start` up to `end` again. */
  repeat(start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#used, start, end);
    this.#used += end - start;
  }

  /** A length or a count below 2^31: LEB128. */
  varuint(value: number): void {
    this.#reserve(MAX_VARUINT_BYTES);
    this.#used = writeVaruint(this.#bytes, this.#used, value);
  }

  /**
   * Length in bytes, then UTF-8. A lone surrogate, which a visitor can send, becomes U+FFFD.
   *
   * @param maxLength in UTF-16 code units; what is longer is cut.
   */
  text(value: string, maxLength: number = value.length): void {
    const kept = value.length > maxLength ? value.slice(0, maxLength) : value;
    this.#reserve(MAX_VARUINT_BYTES + kept.length * MAX_BYTES_PER_UNIT);
    if (kept.length <= SHORT && this.#shortAscii(kept)) return;
    // Nearly all text is ASCII, so its length in bytes is known before it is written.
    const guessed = varuintBytes(kept.length);
    const written = this.#bytes.write(kept, this.#used + guessed);
    const needed = varuintBytes(written);
    if (needed !== guessed) {
      const from = this.#used + guessed;
      this.#bytes.copyWithin(this.#used + needed, from, from + written);
    }
    this.#used = writeVaruint(this.#bytes, this.#used, written) + written;
  }

  /** Returns false and writes nothing when the text is not all ASCII. */
  #shortAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#used;
    bytes[at++] = text.length;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      bytes[at++] = code;
    }
    this.#used = at;
    return true;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#used + bytes));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

function varuintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}

/** Returns where the next byte goes. */
function writeVaruint(bytes: Buffer, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
  bytes[at++] = rest;
  return at;
}
