import { COLON, isBlank, isTextCharacter, isTokenCharacter, SP } from '../../base/characters.ts';
import { type FieldName, FieldNames } from '../../message/field-names.ts';

/**
 * This many bytes are decoded at once, because most header sections are shorter, and one call needs less time than many
 * calls.
 */
const DECODE_BYTES = 2048;

const names = new FieldNames();

/**
 * Reads the lines of header and trailer sections. A line is given as bytes without its line end. The returned texts
 * share the memory of a larger text, so do not keep them longer than the answer.
 */
export class SectionLines {
  #lastName: FieldName = names.beforeFirst;
  /** The bytes of `#chunk` from `#decodedFrom` on, as latin1. */
  #decodedText = '';
  #decodedFrom = 0;
  #chunk: Buffer | undefined;
  #end = 0;

  /** Takes new bytes: `chunk` up to `end`. `chunk` can use the same memory as the chunk before. */
  take(chunk: Buffer, end: number): void {
    this.#chunk = chunk;
    this.#end = end;
    this.#decodedFrom = 0;
    this.#decodedText = '';
  }

  beginSection(): void {
    this.#lastName = names.beforeFirst;
  }

  readStatus(bytes: Buffer, from: number, to: number): StatusLine | undefined {
    const at = this.#placeOf(bytes, from, to);
    return readStatusLine(this.#decodedText, at, at + to - from);
  }

  /**
   * Appends name and value of one line to `fields` (RFC 9112 section 5). Returns the fault of the line, or undefined.
   */
  readField(bytes: Buffer, from: number, to: number, fields: string[]): string | undefined {
    const at = this.#placeOf(bytes, from, to);
    const lineEnd = at + to - from;
    const text = this.#decodedText;
    const guess = names.guess(text, at, this.#lastName);
    const colon = guess === undefined ? nameEnd(text, at, lineEnd) : at + guess.spelling.length;
    if (colon === at || text.charCodeAt(colon) !== COLON) return nameFault(text.charCodeAt(colon));

    let start = colon + 1;
    while (start < lineEnd && isBlank(text.charCodeAt(start))) start++;
    let end = lineEnd;
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
    for (let i = start; i < end; i++) {
      if (!isTextCharacter(text.charCodeAt(i))) return 'control character in a field value';
    }
    this.#lastName = guess ?? names.take(text.slice(at, colon), this.#lastName);
    fields.push(this.#lastName.spelling, text.slice(start, end));
    return undefined;
  }

  /**
   * The index of these bytes in `#decodedText`. The bytes come from the chunk, or from a line that was joined from two
   * chunks.
   */
  #placeOf(bytes: Buffer, from: number, to: number): number {
    if (bytes !== this.#chunk) this.take(bytes, bytes.length);
    const at = from - this.#decodedFrom;
    if (at >= 0 && at + to - from <= this.#decodedText.length) return at;
    this.#decodedFrom = from;
    this.#decodedText = bytes.toString(
      'latin1',
      from,
      Math.max(to, Math.min(from + DECODE_BYTES, this.#end)),
    );
    return 0;
  }
}

/**
 * The index after a field name. A name ends at the end of the line at the latest, because a line end is not a token
 * character.
 */
function nameEnd(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isTokenCharacter(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Section 5.1: servers read a space before the colon in different ways. Section 5.2: a line that begins with white
 * space is folded.
 */
function nameFault(code: number): string {
  return isBlank(code) ? 'space around a field name, or a folded line' : 'field without a name';
}

export interface StatusLine {
  readonly minor: 0 | 1;
  /** A number from 100 to 999. A status above 599 is passed on. */
  readonly status: number;
  readonly reason: string;
}

const VERSION_START = 'HTTP/1.';
const ZERO = 0x30;

/**
 * Reads a status line without its end (RFC 9112 section 4). Undefined when the line is not a status line of HTTP/1.0 or
 * 1.1. The space before an empty reason can be missing, because many servers leave it out.
 */
function readStatusLine(text: string, from: number, to: number): StatusLine | undefined {
  const minor = readMinor(text, from);
  const status = readStatus(text, from + 8);
  const codeEnd = from + 12;
  if (minor === undefined || status === undefined || to < codeEnd) return undefined;
  if (to === codeEnd) return { minor, status, reason: '' };
  if (text.charCodeAt(codeEnd) !== SP) return undefined;
  for (let i = codeEnd + 1; i < to; i++) if (!isTextCharacter(text.charCodeAt(i))) return undefined;
  return { minor, status, reason: text.slice(codeEnd + 1, to) };
}

function readMinor(text: string, from: number): 0 | 1 | undefined {
  if (!text.startsWith(VERSION_START, from)) return undefined;
  const minor = text.charCodeAt(from + VERSION_START.length) - ZERO;
  return minor === 0 || minor === 1 ? minor : undefined;
}

function readStatus(text: string, from: number): number | undefined {
  if (text.charCodeAt(from) !== SP) return undefined;
  let status = 0;
  for (let i = from + 1; i < from + 4; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    status = status * 10 + digit;
  }
  return status < 100 ? undefined : status;
}

/** Keeps the first part of a line that is not complete. The caller of `append` checks the limit. */
export class LineBuffer {
  length = 0;
  #bytes = Buffer.alloc(0);

  append(chunk: Buffer, from: number, to: number): void {
    const neededBytes = this.length + to - from;
    if (neededBytes > this.#bytes.length) this.#grow(neededBytes);
    chunk.copy(this.#bytes, this.length, from, to);
    this.length = neededBytes;
  }

  /** Returns the bytes and empties the buffer. The bytes are valid until the next `append`. */
  take(): Buffer {
    const line = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return line;
  }

  /** Doubles the buffer, so that few copies are needed even when a line comes byte by byte. */
  #grow(neededBytes: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(256, neededBytes, 2 * this.#bytes.length));
    this.#bytes.copy(bytes, 0, 0, this.length);
    this.#bytes = bytes;
  }
}
