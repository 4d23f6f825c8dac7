import { isToken, readDecimal } from '../../base/characters.ts';
import type { WrittenFields } from '../../message/message.ts';
import type { OriginRequest } from '../origin.ts';

/** Methods whose empty content is announced as such (RFC 9110 section 8.6). */
const EXPECTS_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The header section of a request as it goes on the wire (RFC 9112 section 3), one latin1 character a
 * byte; undefined when it could be read as anything else than this one request. `last` says that
 * the connection will not be used again.
 */
export function requestHead(request: OriginRequest, last: boolean): string | undefined {
  const { method, target, sent, added, body } = request;
  if (!isToken(method) || !TARGET.test(target)) return undefined;
  const written = (sent.written ??= write(sent.fields));
  if (written === 'unsound' || announcedLength(added) !== undefined) return undefined;
  const { lines, length } = written;
  if (length !== undefined && length !== (body === undefined ? 0 : body.length)) return undefined;

  const framing = length === undefined ? framingLine(request) : '';
  // Said although it is the rule: HTTP/1.0 needs to hear it, and Apache says Keep-Alive only in return.
  const end = last ? 'Connection: close\r\n\r\n' : 'Connection: keep-alive\r\n\r\n';
  const rest = `${fieldLines(added)}${framing}${end}`;
  // Connection is one more.
  const count = added.length / 2 + (framing === '' ? 0 : 1) + 1;
  if (!readsBack(rest, count)) return undefined;
  return `${method} ${target} HTTP/1.1\r\n${lines}${rest}`;
}

/** What can stand in a request line: no blank, no line break, nothing above latin1. */
const TARGET = /^[^\0\r\n \u0100-\uffff]+$/;

function write(fields: readonly string[]): WrittenFields | 'unsound' {
  const lines = fieldLines(fields);
  const length = announcedLength(fields);
  const isSound = length !== 'unsound' && readsBack(`${lines}\r\n`, fields.length / 2);
  return isSound ? { lines, length } : 'unsound';
}

/** The trailer section behind the last chunk, with the empty line that ends it; undefined as above. */
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

/** How the body is framed, where the fields do not say it already. */
function framingLine({ method, body }: OriginRequest): string {
  if (body !== undefined && body.length === undefined) return 'Transfer-Encoding: chunked\r\n';
  if (body === undefined && !EXPECTS_CONTENT.has(method)) return '';
  return `Content-Length: ${body?.length ?? 0}\r\n`;
}

/** What Content-Length says, in bytes; `unsound` where a field frames in another way, or a second time. */
function announcedLength(fields: readonly string[]): number | 'unsound' | undefined {
  let announced: number | undefined;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    // Names that frame are told by their length first: hardly another one is lower-cased here.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (announced !== undefined) return 'unsound';
      announced = readDecimal(fields[i + 1] ?? '');
      if (announced === undefined) return 'unsound';
    } else if (isFramedHere(name)) {
      return 'unsound';
    }
  }
  return announced;
}

function isFramedHere(name: string): boolean {
  if (name.length === 17) return name.toLowerCase() === 'transfer-encoding';
  return name.length === 10 && name.toLowerCase() === 'connection';
}

/**
 * Reads what was written as its receiver will: `fields` lines that are fields, and an empty one at the
 * end. Whoever put a line break into a name or value made one line more (RFC 9112 section 11.1), so one
 * look finds what is in any part. A character above latin1 would lose its high byte on the wire, and
 * U+010A is a line break then.
 */
function readsBack(text: string, fields: number): boolean {
  return (SECTIONS[fields] ??= formOf(fields)).test(text);
}

/** By the number of fields, which the bounds of a visitor's header section bound. */
const SECTIONS: RegExp[] = [];

/** A regular expression takes a third of the time of a loop over the characters. */
function formOf(fields: number): RegExp {
  const rest = String.raw`[^\0\r\n\u0100-\uffff]*\r\n`;
  const name = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
  return new RegExp(`^(?:${name}:${rest}){${fields}}\\r\\n$`);
}
