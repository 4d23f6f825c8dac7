import type { IncomingHttpHeaders } from 'node:http';
import { isBlank } from '../base/characters.ts';
import { FieldNames } from '../message/field-names.ts';
import type { SectionNotes } from '../message/message.ts';

/** The header section of a plain request, in the shapes that Node gives one. Nobody changes it. */
export interface HeaderSection {
  /** Its lines with the empty one behind them, a latin1 character a byte. */
  readonly text: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly rawHeaders: readonly string[];
  /** Undefined where it is not remembered. */
  readonly notes: SectionNotes | undefined;
}

/** Fields and the empty line (RFC 9112 section 5): no folded line, no blank before a colon, no bare CR or LF. */
const FORM = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+\r\n$/;

/**
 * Reads a header section that asks for nothing but the answer: no body, no upgrade, no expectation, no
 * field twice, the connection kept. Undefined for every other one.
 *
 * `bytes` are the request whose section begins at `at` and is `text`; `notes` are the section's.
 */
export function readHeaderSection(
  bytes: Buffer,
  at: number,
  text: string,
  maxFields: number,
  notes?: SectionNotes,
): HeaderSection | undefined {
  if (!FORM.test(text)) return undefined;
  const rawHeaders: string[] = [];
  const headers = Object.create(null) as Record<string, string>;
  let name = names.beforeFirst;
  let from = 0;
  for (let end = text.indexOf('\r\n'); end > from; end = text.indexOf('\r\n', from)) {
    name =
      names.guess(text, from, name) ?? names.take(text.slice(from, text.indexOf(':', from)), name);
    const value = valueBetween(bytes, at + from + name.withColon.length, at + end);
    const isMore = name.asksForMore && !(name.lower === 'connection' && KEPT.has(value));
    if (isMore || headers[name.lower] !== undefined) return undefined;
    headers[name.lower] = value;
    if (rawHeaders.push(name.spelling, value) > 2 * maxFields) return undefined;
    from = end + 2;
  }
  return { text, headers, rawHeaders, notes };
}

const names = new FieldNames();
const KEPT: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);

/** A text of its own: a slice would keep the whole request in memory wherever the value is kept. */
function valueBetween(bytes: Buffer, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.toString('latin1', start, end);
}
