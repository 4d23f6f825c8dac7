import { COLON, isBlank, isTextCharacter, isTokenCharacter, SP } from '../../base/characters.ts';
import { type FieldName, FieldNames } from '../../message/field-names.ts';

/** Decoding this many bytes costs hardly more than decoding one line, and most header sections are shorter. */
const AHEAD = 2048;

const names = new FieldNames();

/**
 * Reads the lines of header and trailer sections, given as bytes without the line's end. The texts that
 * it gives share memory with the bytes that came: keep them no longer than an answer takes.
 */
export class SectionLines {
  #last: FieldName = names.beforeFirst;
  /** The bytes of `#chunk` from `#from` on, a latin1 character each. */
  #text = '';
  #from = 0;
  #chunk: Buffer | undefined;
  #end = 0;

  /** Other bytes have come, up to `end` of `chunk`, which may be memory that is used again. */
  take(chunk: Buffer, end: number): void {
    this.#chunk = chunk;
    this.#end = end;
    this.#from = 0;
    this.#text = '';
  }

  beginSection(): void {
    this.#last = names.beforeFirst;
  }

  /** Undefined when it is none of HTTP/1.0 or 1.1. */
  readStatus(bytes: Buffer, from: number, to: number): StatusLine | undefined {
    const at = this.#placeOf(bytes, from, to);
    return readStatusLine(this.#text, at, at + to - from);
  }

  /**
   * Appends name and value of one line to `fields` (RFC 9112 section 5). Returns what is wrong with it,
   * or undefined.
   */
  readField(bytes: Buffer, from: number, to: number, fields: string[]): string | undefined {
    const at = this.#placeOf(bytes, from, to);
    const lineEnd = at + to - from;
    const text = this.#text;
    const guess = names.guess(text, at, this.#last);
    const colon = guess === undefined ? nameEnd(text, at, lineEnd) : at + guess.spelling.length;
    if (colon === at || text.charCodeAt(colon) !== COLON) return nameFault(text.charCodeAt(colon));

    let start = colon + 1;
    while (start < lineEnd && isBlank(text.charCodeAt(start))) start++;
    let end = lineEnd;
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
    for (let i = start; i < end; i++) {
      if (!isTextCharacter(text.charCodeAt(i))) return 'control character in a field value';
    }
    this.#last = guess ?? names.take(text.slice(at, colon), this.#last);
    fields.push(this.#last.spelling, text.slice(start, end));
    return undefined;
  }

  /** Where in `#text` these bytes are. They are of the chunk, or a line that was put together. */
  #placeOf(bytes: Buffer, from: number, to: number): number {
    if (bytes !== this.#chunk) this.take(bytes, bytes.length);
    const at = from - this.#from;
    if (at >= 0 && at + to - from <= this.#text.length) return at;
    this.#from = from;
    this.#text = bytes.toString('latin1', from, Math.max(to, Math.min(from + AHEAD, this.#end)));
    return 0;
  }
}

/** The line's own end is no token character, so no name runs beyond it. */
function nameEnd(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isTokenCharacter(text.charCodeAt(at))) at++;
  return at;
}

/** Section 5.1: a space before the colon has been read as two different names. Section 5.2: obs-fold. */
function nameFault(found: number): string {
  return isBlank(found) ? 'space around a field name, or a folded line' : 'field without a name';
}

export interface StatusLine {
  readonly minor: 0 | 1;
  /** 100 to 999: what a number above 599 means is the visitor's to know. */
  readonly status: number;
  readonly reason: string;
}

const NAME = 'HTTP/1.';
const ZERO = 0x30;

/**
 * RFC 9112 section 4: the latin1 characters from `from` to `to`, without the line's end; undefined when they are no
 * status line of HTTP/1.0 or 1.1. The space before an empty reason may be missing, as it often is.
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
  if (!text.startsWith(NAME, from)) return undefined;
  const minor = text.charCodeAt(from + NAME.length) - ZERO;
  return minor === 0 || minor === 1 ? minor : undefined;
}

/** A space and three digits. */
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

/** The first part of a line that is not complete. The code that appends checks the limit. */
export class LineBuffer {
  length = 0;
  #bytes = Buffer.alloc(0);

  append(chunk: Buffer, from: number, to: number): void {
    const needed = this.length + to - from;
    if (needed > this.#bytes.length) this.#grow(needed);
    chunk.copy(this.#bytes, this.length, from, to);
    this.length = needed;
  }

  /** The bytes so far, in place; the buffer is empty after it, and the bytes hold until the next append. */
  take(): Buffer {
    const line = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return line;
  }

  /** Doubles, so that a line that comes byte by byte is copied a constant number of times. */
  #grow(needed: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(256, needed, 2 * this.#bytes.length));
    this.#bytes.copy(bytes, 0, 0, this.length);
    this.#bytes = bytes;
  }
}
