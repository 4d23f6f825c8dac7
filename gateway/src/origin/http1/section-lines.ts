import { COLON, isBlank, isTextCharacter, isTokenCharacter } from '../../base/characters.ts';
import { type FieldName, FieldNames } from '../../message/field-names.ts';
import { readStatusLine, type StatusLine } from './status-line.ts';

/** Decoding so many bytes costs hardly more than decoding one line, and most header sections are shorter. */
const AHEAD = 2048;

const names = new FieldNames();

/**
 * Reads the lines of header and trailer sections, given as bytes without the line's end. What it reads
 * are parts of the text of what came: nobody is to keep them for longer than an answer takes.
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
