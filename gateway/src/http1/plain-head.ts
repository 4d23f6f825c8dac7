import type { IncomingHttpHeaders } from 'node:http';
import { isBlank } from '../characters.ts';
import { BEFORE_FIRST, nameAt } from './field-names.ts';

/** The header section of a plain request, in the shapes that Node gives one. */
export interface PlainHead {
  readonly method: 'GET' | 'HEAD';
  /** Origin-form, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/**
 * A request line in origin-form, fields, the empty line, and nothing behind it (RFC 9112 sections 3
 * and 5), a latin1 character a byte. No folded line, no blank before a colon, no bare CR or LF.
 */
const FORM =
  /^(?:GET|HEAD) \/[!"$-~]* HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n$/;

/**
 * Reads what came in one piece, if it is one whole GET or HEAD that asks for nothing but its answer: no
 * body, no upgrade, no expectation, no field twice, the connection kept, and nothing behind it.
 * Undefined for all else, which is not refused: Node's parser has it then, and the last word.
 */
export function readPlainHead(bytes: Buffer, maxFields: number): PlainHead | undefined {
  const text = bytes.toString('latin1');
  if (!FORM.test(text)) return undefined;
  const method = text.startsWith('G') ? 'GET' : 'HEAD';
  const lineEnd = text.indexOf('\r\n');
  const target = text.slice(method.length + 1, lineEnd - VERSION.length);

  const rawHeaders: string[] = [];
  const headers = Object.create(null) as Record<string, string>;
  let name = BEFORE_FIRST;
  let at = lineEnd + 2;
  for (let end = text.indexOf('\r\n', at); end > at; end = text.indexOf('\r\n', at)) {
    name = nameAt(text, at, name);
    const value = valueBetween(bytes, at + name.withColon.length, end);
    const isMore = name.asksForMore && !(name.lower === 'connection' && KEPT.has(value));
    if (isMore || headers[name.lower] !== undefined) return undefined;
    headers[name.lower] = value;
    if (rawHeaders.push(name.spelling, value) > 2 * maxFields) return undefined;
    at = end + 2;
  }
  return { method, target, headers, rawHeaders };
}

const VERSION = ' HTTP/1.1';
const KEPT: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);

/** A text of its own: a slice would keep the whole header section in memory wherever the value is kept. */
function valueBetween(bytes: Buffer, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.toString('latin1', start, end);
}
