import type { OriginRequest } from '../origin.ts';
import { isToken } from '../../characters.ts';
import { readDecimal } from './decimal.ts';

/** Methods whose empty content is announced as such (RFC 9110 section 8.6). */
const EXPECTS_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The header section of a request as it goes on the wire (RFC 9112 section 3), one latin1 character a
 * byte; undefined when it could be read as anything else than this one request. `last` says that
 * the connection will not be used again.
 */
export function requestHead(request: OriginRequest, last: boolean): string | undefined {
  const { method, target, fields, body } = request;
  if (!isToken(method) || target === '' || target.includes(' ')) return undefined;
  const length = body === undefined ? 0 : body.length;
  const announced = announcedLength(fields);
  if (announced === UNSOUND || (announced !== ABSENT && announced !== length)) return undefined;

  const framing = announced === ABSENT ? framingLine(request) : '';
  // Said although it is the rule: HTTP/1.0 needs to hear it, and Apache says Keep-Alive only in return.
  const end = last ? 'Connection: close\r\n\r\n' : 'Connection: keep-alive\r\n\r\n';
  const head = `${method} ${target} HTTP/1.1\r\n${fieldLines(fields)}${framing}${end}`;
  // Connection is one more.
  const count = fields.length / 2 + (framing === '' ? 0 : 1) + 1;
  return readsBack(head, count, true) ? head : undefined;
}

/** The trailer section behind the last chunk, with the empty line that ends it; undefined as above. */
export function trailerSection(fields: readonly string[]): string | undefined {
  const section = `${fieldLines(fields)}\r\n`;
  return readsBack(section, fields.length / 2, false) ? section : undefined;
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

const ABSENT = -1;
const UNSOUND = -2;

/** What Content-Length says; UNSOUND where a field frames in another way, or a second time. */
function announcedLength(fields: readonly string[]): number {
  let announced = ABSENT;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    // Names that frame are told by their length first: hardly another one is lower-cased here.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (announced !== ABSENT) return UNSOUND;
      announced = readDecimal(fields[i + 1] ?? '') ?? UNSOUND;
    } else if (isFramedHere(name)) {
      return UNSOUND;
    }
  }
  return announced;
}

function isFramedHere(name: string): boolean {
  if (name.length === 17) return name.toLowerCase() === 'transfer-encoding';
  return name.length === 10 && name.toLowerCase() === 'connection';
}

/**
 * Reads what was written as its receiver will: a first line where there is one, `fields` lines that are
 * fields, and an empty one at the end. Whoever put a line break into a name or value made one line more
 * (RFC 9112 section 11.1), so one look finds what is in any part. A character above latin1 would lose
 * its high byte on the wire, and U+010A is a line break then.
 */
function readsBack(text: string, fields: number, hasFirstLine: boolean): boolean {
  const forms = hasFirstLine ? HEADS : SECTIONS;
  return (forms[fields] ??= formOf(fields, hasFirstLine)).test(text);
}

/** By the number of fields, which the bounds of a visitor's header section bound. */
const HEADS: RegExp[] = [];
const SECTIONS: RegExp[] = [];

/** A regular expression takes a third of the time of a loop over the characters. */
function formOf(fields: number, hasFirstLine: boolean): RegExp {
  const rest = String.raw`[^\0\r\n\u0100-\uffff]*\r\n`;
  const name = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
  return new RegExp(`^${hasFirstLine ? rest : ''}(?:${name}:${rest}){${fields}}\\r\\n$`);
}
