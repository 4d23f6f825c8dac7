import {
  isBlank,
  isTextCharacter,
  members,
  readDecimal,
  SEMICOLON,
  withoutBlanks,
} from '../../base/characters.ts';
import type { StatusLine } from './section-lines.ts';

/** How to find the end of an answer (RFC 9112 section 6.3). */
export type AnswerFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'sized'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until close' };

const NO_BODY: AnswerFraming = { kind: 'none' };
const CHUNKED_BODY: AnswerFraming = { kind: 'chunked' };
const UNTIL_CLOSE: AnswerFraming = { kind: 'until close' };

/** Collects the fields that say where a message ends, and whether its connection stays open. */
export class FramingFields {
  length: number | undefined;
  isChunked = false;
  closesConnection = false;
  keepsConnection = false;
  /** The value of `Keep-Alive: timeout=`, in seconds. */
  keepsForS: number | undefined;
  #lastHint = '';
  #lastHintS: number | undefined;

  reset(): void {
    this.length = undefined;
    this.isChunked = false;
    this.closesConnection = false;
    this.keepsConnection = false;
    this.keepsForS = undefined;
  }

  /**
   * Reads the last field of `fields`. A second Content-Length with the same value is removed, so that the next reader
   * finds only one (RFC 9110 section 8.6). Returns what is wrong, or undefined.
   */
  note(fields: string[]): string | undefined {
    const name = fields[fields.length - 2] ?? '';
    switch (name.length) {
      case 10:
        this.#noteConnection(name.toLowerCase(), fields.at(-1) ?? '');
        return undefined;
      case 14:
        return name.toLowerCase() === 'content-length' ? this.#noteLength(fields) : undefined;
      case 17:
        return name.toLowerCase() === 'transfer-encoding'
          ? this.#noteCoding(fields.at(-1) ?? '')
          : undefined;
      default:
        return undefined;
    }
  }

  #noteConnection(name: string, value: string): void {
    if (name === 'connection') {
      for (const option of members(value.toLowerCase())) {
        const trimmedOption = withoutBlanks(option);
        if (trimmedOption === 'close') this.closesConnection = true;
        else if (trimmedOption === 'keep-alive') this.keepsConnection = true;
      }
    } else if (name === 'keep-alive') {
      // An origin sends the same value each time, so the result for the last value is kept.
      if (value !== this.#lastHint) {
        this.#lastHint = value;
        this.#lastHintS = readTimeout(value);
      }
      this.keepsForS = this.#lastHintS;
    }
  }

  #noteLength(fields: string[]): string | undefined {
    const isFirst = this.length === undefined;
    const value = fields.at(-1) ?? '';
    for (const member of members(value)) {
      const length = readDecimal(withoutBlanks(member));
      if (length === undefined) return 'Content-Length is no number';
      if (this.length !== undefined && this.length !== length) return 'two Content-Lengths';
      this.length = length;
    }
    if (!isFirst) fields.length -= 2;
    else if (value.includes(',')) fields[fields.length - 1] = String(this.length);
    return undefined;
  }

  /**
   * Returns what is wrong, or undefined. Guard cannot decode other codings than `chunked`. When `chunked` comes twice,
   * one chunked body would be inside another.
   */
  #noteCoding(value: string): string | undefined {
    if (this.isChunked || value.toLowerCase() !== 'chunked')
      return 'Transfer-Encoding not supported';
    this.isChunked = true;
    return undefined;
  }
}

/**
 * Checks the last field of `fields`. A field that frames the message must not be a trailer (RFC 9110 section 6.5.1). A
 * server that merges trailers into the header section would read the message in another way. Returns what is wrong, or
 * undefined.
 */
export function trailerFault(fields: readonly string[]): string | undefined {
  const name = fields[fields.length - 2] ?? '';
  const isFraming =
    (name.length === 14 && name.toLowerCase() === 'content-length') ||
    (name.length === 17 && name.toLowerCase() === 'transfer-encoding');
  return isFraming ? 'framing in a trailer section' : undefined;
}

/** The `timeout` of Keep-Alive, in seconds. Undefined when there is none. */
function readTimeout(hint: string): number | undefined {
  for (const parameter of hint.toLowerCase().split(',')) {
    const [key = '', text = ''] = parameter.split('=', 2);
    if (withoutBlanks(key) === 'timeout') return readDecimal(withoutBlanks(text));
  }
  return undefined;
}

/**
 * The framing of an answer (RFC 9112 section 6.3). A suspicious answer is refused: then the result is a string that
 * says why. `isHead` is true when the request was HEAD.
 */
export function framingOf(
  { status, minor }: StatusLine,
  fields: FramingFields,
  isHead: boolean,
): AnswerFraming | string {
  if (fields.isChunked && fields.length !== undefined) {
    return 'Transfer-Encoding and Content-Length in one answer';
  }
  if (fields.isChunked && minor === 0) return 'Transfer-Encoding in an answer of HTTP/1.0';
  if (isHead || status === 204 || status === 304) return NO_BODY;
  if (fields.isChunked) return CHUNKED_BODY;
  if (fields.length === undefined) return UNTIL_CLOSE;
  return fields.length === 0 ? NO_BODY : { kind: 'sized', length: fields.length };
}

/**
 * Whether another answer may follow on the connection (RFC 9112 section 9.3). The result is false when the origin could
 * still send a body that this answer must not have: after HEAD, and after a 204 or 304 that announces a body (section
 * 6.3). Guard would read the bytes of that body as the answer to another visitor.
 */
export function keepsConnection(
  { status, minor }: StatusLine,
  fields: FramingFields,
  isHead: boolean,
): boolean {
  if (isHead || fields.closesConnection || (minor === 0 && !fields.keepsConnection)) return false;
  if (status !== 204 && status !== 304) return true;
  return !fields.isChunked && (fields.length ?? 0) === 0;
}

interface ChunkSize {
  readonly size: number;
  /** The length of the chunk extensions after the size. Their content is ignored (RFC 9112 section 7.1.1). */
  readonly extensionBytes: number;
}

/** A size with more digits could not be an exact number. */
const MAX_DIGITS = 13;

/** Reads a chunk-size line without its end (RFC 9112 section 7.1). Undefined when it is malformed. */
export function readChunkSize(bytes: Buffer, from: number, to: number): ChunkSize | undefined {
  let size = 0;
  let at = from;
  for (; at < to; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit === -1) break;
    size = size * 16 + digit;
  }
  const digits = at - from;
  if (digits === 0 || digits > MAX_DIGITS) return undefined;
  const extensionBytes = to - at;
  if (extensionBytes === 0) return { size, extensionBytes };

  for (let i = at; i < to; i++) if (!isTextCharacter(bytes[i] ?? 0)) return undefined;
  // Blanks may stand before a semicolon. Without a semicolon the grammar allows no blanks.
  while (at < to && isBlank(bytes[at])) at++;
  return bytes[at] === SEMICOLON ? { size, extensionBytes } : undefined;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
