import { isToken, readDecimal } from '../../base/characters.ts';
import type { WrittenFields } from '../../message/message.ts';
import type { OriginRequest } from '../origin.ts';

/** Methods that send `Content-Length: 0` when they have no body (RFC 9110 section 8.6). */
const METHODS_WITH_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The header section of a request as text (RFC 9112 section 3). Each byte is one latin1 character. Undefined when a
 * server could read it as anything else than this one request. `isLast` says that the connection will not be used
 * again.
 */
export function requestHead(request: OriginRequest, isLast: boolean): string | undefined {
  const { method, target, visitorFields, gatewayFields, body } = request;
  if (!isToken(method) || !TARGET_PATTERN.test(target)) return undefined;
  const visitorLines = (visitorFields.writtenFields ??= write(visitorFields.values));
  if (visitorLines === 'unsound' || announcedLength(gatewayFields) !== undefined) return undefined;
  const { lines, length } = visitorLines;
  if (length !== undefined && length !== (body === undefined ? 0 : body.length)) return undefined;

  const framing = length === undefined ? framingLine(request) : '';
  // Keep-alive is the default of HTTP/1.1, but servers of HTTP/1.0 need the field, and Apache sends Keep-Alive only
  // when the request has this field.
  const end = isLast ? 'Connection: close\r\n\r\n' : 'Connection: keep-alive\r\n\r\n';
  const rest = `${fieldLines(gatewayFields)}${framing}${end}`;
  // The last 1 is for the Connection field.
  const count = gatewayFields.length / 2 + (framing === '' ? 0 : 1) + 1;
  if (!readsBack(rest, count)) return undefined;
  return `${method} ${target} HTTP/1.1\r\n${lines}${rest}`;
}

/** The characters of a request target: no space, no NUL, no line break, and no character outside latin1. */
const TARGET_PATTERN = /^[^\0\r\n \u0100-\uffff]+$/;

function write(fields: readonly string[]): WrittenFields | 'unsound' {
  const lines = fieldLines(fields);
  const length = announcedLength(fields);
  const isSound = length !== 'unsound' && readsBack(`${lines}\r\n`, fields.length / 2);
  return isSound ? { lines, length } : 'unsound';
}

/** The trailer section after the last chunk, with its empty line. Undefined when a server could misread it. */
export function trailerSection(fields: readonly string[]): string | undefined {
  const section = `${fieldLines(fields)}\r\n`;
  return readsBack(section, fields.length / 2) ? section : undefined;
}

function fieldLines(fields: readonly string[]): string {
  let lines = '';
  for (let i = 0; i + 1 < fields.length; i += 2) {
    lines += `${fields[i] ?? ''}: ${fields[i + 1] ?? ''}\r\n`;
  }
  return lines;
}

/** The header line that frames the body. Empty when the fields already frame it. */
function framingLine({ method, body }: OriginRequest): string {
  if (body !== undefined && body.length === undefined) return 'Transfer-Encoding: chunked\r\n';
  if (body === undefined && !METHODS_WITH_CONTENT.has(method)) return '';
  return `Content-Length: ${body?.length ?? 0}\r\n`;
}

/**
 * The value of Content-Length in bytes. `unsound` when there is a second Content-Length, or another field that frames
 * the body.
 */
function announcedLength(fields: readonly string[]): number | 'unsound' | undefined {
  let length: number | undefined;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    // The length of the name is compared first, so that few names have to be converted to lower case.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (length !== undefined) return 'unsound';
      length = readDecimal(fields[i + 1] ?? '');
      if (length === undefined) return 'unsound';
    } else if (isFramedHere(name)) {
      return 'unsound';
    }
  }
  return length;
}

function isFramedHere(name: string): boolean {
  if (name.length === 17) return name.toLowerCase() === 'transfer-encoding';
  return name.length === 10 && name.toLowerCase() === 'connection';
}

/**
 * Whether the text has exactly `fields` field lines and an empty line at the end, as a server reads it. A line break
 * inside a name or value makes one line more (RFC 9112 section 11.1). So this single check covers all names and values.
 * A character outside latin1 would lose its high byte, and U+010A would become a line break.
 */
function readsBack(text: string, fields: number): boolean {
  return (SECTION_PATTERNS[fields] ??= sectionPattern(fields)).test(text);
}

/** The index is the number of fields, so it cannot exceed the limit for the fields of a header section. */
const SECTION_PATTERNS: RegExp[] = [];

/** A regular expression takes a third of the time of a loop over the characters. */
function sectionPattern(fields: number): RegExp {
  const rest = String.raw`[^\0\r\n\u0100-\uffff]*\r\n`;
  const name = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
  return new RegExp(`^(?:${name}:${rest}){${fields}}\\r\\n$`);
}
