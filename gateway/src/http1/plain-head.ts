import type { IncomingHttpHeaders } from 'node:http';
import { COLON, CR, isBlank, isTextCharacter, isTokenCharacter, LF } from '../characters.ts';
import { fieldName } from './field-names.ts';

/** The header section of a plain request, in the shapes that Node gives one. */
export interface PlainHead {
  readonly method: 'GET' | 'HEAD';
  /** Origin-form, as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** RFC 9112 section 3, with a target in origin-form (RFC 3986, and what Node takes besides). */
const REQUEST_LINE = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1$/;

/**
 * Reads what came in one piece, if it is one whole GET or HEAD that asks for nothing but its answer: no
 * body, no upgrade, no expectation, no field twice, the connection kept, and nothing behind it.
 * Undefined for all else, which is not refused: Node's parser has it then, and the last word.
 */
export function readPlainHead(bytes: Buffer, maxFields: number): PlainHead | undefined {
  const text = bytes.toString('latin1');
  const lineEnd = text.indexOf('\r\n');
  const line = REQUEST_LINE.exec(text.slice(0, Math.max(lineEnd, 0)));
  if (line === null) return undefined;
  const fields = readFields(bytes, text, lineEnd + 2, maxFields);
  if (fields === undefined) return undefined;
  const [, method, target = ''] = line;
  return { method: method === 'GET' ? 'GET' : 'HEAD', target, ...fields };
}

/** RFC 9112 section 5: the lines of `bytes`, which are `text`, from `from` on, up to the empty one that is the last of `bytes`. */
function readFields(
  bytes: Buffer,
  text: string,
  from: number,
  maxFields: number,
): Pick<PlainHead, 'headers' | 'rawHeaders'> | undefined {
  const rawHeaders: string[] = [];
  const headers = Object.create(null) as Record<string, string>;
  let at = from;
  while (bytes[at] !== CR) {
    const colon = tokenEnd(bytes, at);
    if (colon === at || bytes[colon] !== COLON) return undefined;
    const start = behindBlanks(bytes, colon + 1);
    const end = textEnd(bytes, start);
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return undefined;

    const { spelling, lower, asksForMore } = fieldName(text.slice(at, colon));
    // A text of its own: a slice would keep all of `text` in memory wherever the value is kept.
    const value = bytes.toString('latin1', start, beforeBlanks(bytes, start, end));
    const isMore = asksForMore && !(lower === 'connection' && KEPT.has(value));
    if (isMore || headers[lower] !== undefined) return undefined;
    headers[lower] = value;
    if (rawHeaders.push(spelling, value) > 2 * maxFields) return undefined;
    at = end + 2;
  }
  const isLast = bytes[at + 1] === LF && at + 2 === bytes.length;
  return isLast ? { headers, rawHeaders } : undefined;
}

const KEPT: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);

function tokenEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isTokenCharacter(bytes[at] ?? 0)) at++;
  return at;
}

function textEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isTextCharacter(bytes[at] ?? 0)) at++;
  return at;
}

function behindBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at++;
  return at;
}

function beforeBlanks(bytes: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(bytes[end - 1])) end--;
  return end;
}
